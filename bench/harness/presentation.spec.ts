import { chartOf } from './chart';
import type { Measurement } from './figure';
import { machineText } from './machine';
import { machinesText, merged, summaryOf } from './results';
import { tableOf } from './table';

const machine = {
  node: 'v20.0.0',
  postgres: '18.4',
  cores: 2,
  cpu: 'a <cpu>',
  memoryGiB: 8,
  date: '2026-01-01',
};
const measurement = (name: string, ratio: number, more: Partial<Measurement> = {}): Measurement => ({
  name,
  ours: 'ours & all',
  floor: 'the floor',
  unit: 'answers/s',
  comparison: 'rate',
  mark: { atLeast: 0.5 },
  repetitions: [{ floorBefore: 100, ours: 100 * ratio, floorAfter: 100, ratio }],
  voided: 0,
  unsteady: false,
  ...more,
});
const { mark, ...informing } = measurement('P3 detail', 0.3);
const measurements = [
  measurement('P1', 0.75),
  measurement('P2', 0.25, { voided: 2, notes: ['a note'] }),
  measurement('P9', 5, { unsteady: true }),
  measurement('P10', 0.9, { withoutVerdict: 'cores do not allow' }),
  informing,
];

describe('the table', () => {
  it('has a line for each measurement with mark and verdict, and its notes', () => {
    const lines = tableOf(measurements, { colour: false }).split('\n');
    const line = (name: string) => lines.find((one) => one.startsWith(`${name} `)) ?? '';
    expect(line('P1')).toMatch(/0\.750 .*≥ 0\.5 .*green .*75\.0 .*100/);
    expect(line('P2')).toMatch(/0\.250 .*≥ 0\.5 .*red/);
    expect(line('P9')).toContain('unsteady');
    expect(line('P10')).toContain('cores do not allow');
    expect(line('P3 detail')).not.toMatch(/green|red/);
    expect(mark).toBeDefined();
    expect(lines).toContain('    a note');
    expect(lines).toContain('    2 void, because their floors differed');
  });

  it('has colours where they can be seen', () =>
    expect(tableOf(measurements, { colour: true })).toContain('\u001b[32mP1'));
});

describe('the chart', () => {
  const chart = chartOf(measurements, machineText(machine));

  it('has a bar in the colour of its verdict for each measurement with a mark', () => {
    expect(chart.match(/<rect class="reached"/g)).toHaveLength(1);
    expect(chart.match(/<rect class="missed"/g)).toHaveLength(1);
    expect(chart.match(/<rect class="doubtful"/g)).toHaveLength(2);
    expect(chart).not.toContain('P3 detail');
  });

  it('draws half of the mark half as long as the mark', () => {
    const widths = [...chart.matchAll(/<rect class="\w+" x="[\d.]+" y="[\d.]+" width="([\d.]+)"/g)];
    const [first = NaN, second = NaN] = widths.map(([, width]) => Number(width));
    expect(first / second).toBeCloseTo(3, 1);
  });

  it('escapes what comes from outside, and can be read in the dark', () => {
    expect(chart).not.toMatch(/<cpu>|ours & all/);
    expect(chart).toContain('prefers-color-scheme: dark');
  });
});

describe('the summary', () => {
  it('has every repetition, its median and the verdict', () => {
    expect(summaryOf([{ ...measurement('P1', 0.75), machine }], false)).toMatchObject({
      measurements: [{ name: 'P1', machine, value: 0.75, verdict: 'green', repetitions: [{ ratio: 0.75 }] }],
    });
  });

  const kept = (name: string, ratio: number, date = machine.date) => ({
    ...measurement(name, ratio),
    machine: { ...machine, date },
  });

  it('keeps what was not measured again, in the order of the figures', () => {
    const earlier = [
      kept('P1', 0.1),
      kept('P5 13 records', 0.1),
      kept('P5 200 records', 0.1),
      kept('P10', 0.1),
    ];
    const all = merged(earlier, [kept('P5 13 records', 0.2), kept('P2', 0.2)]);
    expect(all.map(({ name, repetitions }) => [name, repetitions[0]?.ratio])).toEqual([
      ['P1', 0.1],
      ['P2', 0.2],
      ['P5 13 records', 0.2],
      ['P10', 0.1],
    ]);
  });

  it('names each machine once, with its days', () => {
    const rows = [
      kept('P1', 1, '2026-01-03'),
      kept('P2', 1),
      { ...kept('P3', 1), machine: { ...machine, cores: 4 } },
    ];
    expect(machinesText(rows)).toBe(
      `${machineText({ ...machine, date: '2026-01-01 to 2026-01-03' })}; ${machineText({ ...machine, cores: 4 })}`,
    );
  });
});
