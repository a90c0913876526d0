import type { ReactNode } from 'react';
import type { ReadStatement } from '../../data/queries';
import { causeWords } from '../../parts/words/figure-words';
import { Money } from '../../parts/values/money';
import { countText, moneyText, type Amount } from '../../parts/values/money-text';
import { ScrollRegion } from '../../parts/tables/table';
import { StatusMark } from '../../parts/values/status-mark';
import { scaleOf, type Bar } from './bridge-scale';
import { filtersOfCause } from './case-filters';
import { CasesLink } from './cases-link';
import type { Footing } from './footing';
import { NotFooting } from './not-footing';
import { agreementOf } from '../statement-words';

type Totals = NonNullable<ReadStatement['types'][number]['totals']>;

interface BridgeProps {
  readonly name: string;
  readonly type: ReadStatement['types'][number]['entity_type'];
  readonly totals: Totals;
  readonly counts: ReadStatement['types'][number]['counts'];
  readonly footing: Footing;
  readonly statement: ReadStatement;
}

/** A row of the bridge: a sum, or a line that leads on from it. */
interface Step {
  readonly key: string;
  readonly words: ReactNode;
  readonly objects: number;
  readonly amount: Amount;
  readonly accepted?: Totals['lines'][number]['accepted'];
  readonly isSum: boolean;
}

/** From one sum to the other, cause by cause. The page adds the lines itself, and draws only what foots. */
export function Bridge({ name, type, totals, counts, footing, statement }: BridgeProps): ReactNode {
  const { platforms, currency, complete, query } = statement;
  const lines = totals.lines.filter(({ objects, amount }) => objects !== 0 || amount.amount !== 0);
  const scale = footing.foots
    ? scaleOf(
        BigInt(totals.from.sum.amount),
        lines.map(({ amount }) => BigInt(amount.amount)),
        BigInt(totals.to.sum.amount),
      )
    : undefined;
  const steps: readonly Step[] = [
    sumStep('from', totals.from),
    ...lines.map((line): Step => ({
      ...line,
      key: line.cause,
      words: (
        <CasesLink
          type={type}
          query={query}
          filters={line.objects === 0 ? undefined : filtersOfCause(line.cause)}
        >
          {causeWords(line.cause, platforms)}
        </CasesLink>
      ),
      isSum: false,
    })),
    sumStep('to', totals.to),
  ];
  const isBeside = scale !== undefined && scale.begins > 0n;
  return (
    <>
      {!footing.foots && <NotFooting footing={footing} currency={currency} />}
      <ScrollRegion label={`${name}: from one sum to the other`}>
        <table className="bridge">
          <caption>
            From one sum to the other, in {currency}
            {isBeside && (
              <span className="quiet">
                . The picture begins at {moneyText({ amount: scale.begins, currency })}
              </span>
            )}
          </caption>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col" className="number">
                Count
              </th>
              <th scope="col" className="number">
                Amount
              </th>
              <th scope="col" className="number">
                Of which accepted
              </th>
              {scale !== undefined && (
                <th scope="col" className="picture">
                  <span className="hidden">Picture</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {steps.map(({ key, words, objects, amount, accepted, isSum }, index) => (
              <tr key={key} className={isSum ? 'sum' : undefined}>
                <th scope="row">{words}</th>
                <td className="number">{countText(objects)}</td>
                <td className="number">
                  <Money of={amount} sign={isSum ? 'auto' : 'always'} bare />
                </td>
                <td className="number">
                  {accepted !== undefined && accepted.objects > 0 && (
                    <CasesLink
                      type={type}
                      query={query}
                      filters={{ ...filtersOfCause(key), state: 'accepted' }}
                    >
                      <Money of={accepted.amount} sign="always" bare />
                    </CasesLink>
                  )}
                </td>
                {scale !== undefined && (
                  <td className="picture">
                    <BridgeBar bar={scale.bars[index]} isSum={isSum} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
          {footing.foots && (
            <tfoot>
              <tr>
                <th scope="row">Difference</th>
                <td />
                <td className="number">
                  <Money of={{ amount: footing.difference, currency }} sign="always" bare />
                </td>
                <td colSpan={2}>
                  <StatusMark status={agreementOf({ totals, counts }, footing.difference, complete)} />
                </td>
              </tr>
            </tfoot>
          )}
        </table>
      </ScrollRegion>
      {totals.outside.length > 0 && (
        <ul className="quiet">
          {totals.outside.map(({ platform, records, sum }) => (
            <li key={`${platform} ${sum.currency}`}>
              In no sum, without a rate: {countText(records)} records on {platform}, <Money of={sum} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function sumStep(key: string, { platform, summed, without_amount: without, sum }: Totals['from']): Step {
  const words = (
    <>
      Sum on {platform}
      {without > 0 && <span className="quiet"> ({countText(without)} more without a readable amount)</span>}
    </>
  );
  return { key, words, objects: summed, amount: sum, isSum: true };
}

const WIDTH = 1000;
/** The least width of a bar, so that an amount of zero is visible. */
const TICK = 4;

function BridgeBar({ bar, isSum }: { readonly bar: Bar | undefined; readonly isSum: boolean }): ReactNode {
  if (bar === undefined) return null;
  const kind = isSum ? 'whole' : bar.to < bar.from ? 'less' : 'more';
  const low = Math.min(bar.from, bar.to) * WIDTH;
  const width = Math.max(TICK, Math.abs(bar.to - bar.from) * WIDTH);
  return (
    <svg className="bar" viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
      <rect className={kind} x={Math.min(low, WIDTH - TICK)} y="3" width={width} height="14" />
    </svg>
  );
}
