import type { Measurement } from './figure';
import { short } from './paired';
import { achieved, markText, valueOf, verdictOf, type Verdict } from './verdict';

const WIDTH = 860;
const ROW = 26;
const TOP = 54;
const NAMES = 190;
const VALUES = 150;
/** Bars end at this multiple of the mark; a longer one shows an arrow. */
const MOST = 2;

const classes: Readonly<Record<Verdict, string>> = {
  green: 'reached',
  red: 'missed',
  unsteady: 'doubtful',
  open: 'doubtful',
  none: 'doubtful',
};

/**
 * The measurements that have a mark, as bars: how much of its mark each one reaches. Text takes the colour of the page's
 * scheme, so that the chart can be read on light and on dark ground.
 *
 * @param caption the machine and versions of the measurement
 */
export function chartOf(measurements: readonly Measurement[], caption: string): string {
  const marked = measurements.filter(({ mark }) => mark !== undefined);
  const height = TOP + marked.length * ROW + 34;
  const scale = (WIDTH - NAMES - VALUES) / MOST;
  const rows = marked.map((measurement, index) => {
    const { mark, name } = measurement;
    if (mark === undefined) return '';
    const verdict = verdictOf(measurement);
    const value = valueOf(measurement);
    const share = achieved(mark, value);
    const length = Math.max(2, Math.min(share, MOST) * scale);
    const y = TOP + index * ROW;
    const said = `${short(value)} (${markText(mark)})${verdict === 'green' || verdict === 'red' ? '' : ` ${verdict}`}`;
    return `  <g>
    <title>${escaped(`${measurement.ours}; against ${measurement.floor}`)}</title>
    <text x="${NAMES - 10}" y="${y + 16}" text-anchor="end">${escaped(name)}</text>
    <rect class="${classes[verdict]}" x="${NAMES}" y="${y + 4}" width="${length.toFixed(1)}" height="${ROW - 8}" rx="2"/>
    <text x="${NAMES + 2 * scale + 8}" y="${y + 16}">${share > MOST ? '→ ' : ''}${escaped(said)}</text>
  </g>`;
  });
  const one = NAMES + scale;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="How much of each mark is reached">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .small { font-size: 11px; fill: #59636e }
    .mark { stroke: #59636e; stroke-dasharray: 3 3 }
    .reached { fill: #1a7f37 } .missed { fill: #cf222e } .doubtful { fill: #9a6700 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc } .small { fill: #9198a1 } .mark { stroke: #9198a1 }
      .reached { fill: #3fb950 } .missed { fill: #f85149 } .doubtful { fill: #d29922 }
    }
  </style>
  <text x="${NAMES}" y="20" style="font-weight: 600">How much of each mark is reached</text>
  <text class="small" x="${one}" y="${TOP - 8}" text-anchor="middle">the mark</text>
${rows.join('\n')}
  <line class="mark" x1="${one}" y1="${TOP - 2}" x2="${one}" y2="${TOP + marked.length * ROW + 2}"/>
  <text class="small" x="${NAMES}" y="${height - 10}">${escaped(caption)}</text>
</svg>
`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.codePointAt(0) ?? 0};`);
}
