import { CommanderError } from 'commander';
import { readArguments, type RequestedRun } from './arguments';

/** What is asked for, or the complaint. */
function read(...args: readonly string[]): RequestedRun | string {
  let said = '';
  const write = (text: string): void => void (said += text);
  try {
    return readArguments(args, { out: write, err: write });
  } catch (error) {
    if (error instanceof CommanderError) return `${error.exitCode}: ${said}`;
    throw error;
  }
}

describe('the arguments of the simulators', () => {
  it('ask for the sample records, free ports and the usual switches when there are none', () => {
    expect(read()).toEqual({ switches: { platform_a: {}, platform_b: {} }, json: false });
  });

  it('name portfolio, ports, state, speed and form', () => {
    const args = '--contracts 10000 --seed 7 --port 4100 --state kept --speed 2.5 --json'.split(' ');
    expect(read(...args)).toMatchObject({
      generated: { contracts: 10_000, seed: 7 },
      port: 4100,
      stateFolder: 'kept',
      speed: 2.5,
      json: true,
    });
  });

  it('set switches, by the type of each', () => {
    const args = ['spikeLimit=0', 'retryAfterOn429=true', 'staleEtagStatus=412', 'walkKey=number'];
    // retryAfterOn429 is a switch of both: whether, and how many seconds.
    expect(read(...args.flatMap((setting) => ['--switch', setting]))).toMatch(/"retryAfterOn429" is a whole/);
    const ofOne = args.map((setting) => setting.replace(/^retry/, 'platform_a.retry'));
    expect(read(...ofOne.flatMap((setting) => ['--switch', setting]))).toMatchObject({
      switches: {
        platform_a: { spikeLimit: 0, retryAfterOn429: true },
        platform_b: { staleEtagStatus: 412, walkKey: 'number' },
      },
    });
  });

  it('set a switch that both have on both, or on one', () => {
    expect(read('--switch', 'tokenSeconds=60', '--switch', 'platform_b.tokenSeconds=90')).toMatchObject({
      switches: { platform_a: { tokenSeconds: 60 }, platform_b: { tokenSeconds: 90 } },
    });
  });

  it.each([
    [['--contract', '5'], "unknown option '--contract'"],
    [['sandbox'], 'too many arguments'],
    [['--contracts', '0'], 'whole number from 1'],
    [['--contracts', '1e3'], 'whole number from 1'],
    [['--seed', '7'], "'--seed <n>' needs '--contracts <n>'"],
    [['--port', '65531'], 'whole number from 1 to 65530'],
    [['--speed', '0'], 'number above 0'],
    [['--speed', '-1'], 'number above 0'],
    [['--switch', 'spikeLimit'], 'not of the form name=value'],
    [['--switch', 'spikelimit=5'], 'no switch "spikelimit"'],
    [['--switch', 'platform_b.spikeLimit=5'], 'no switch "platform_b.spikeLimit"'],
    [['--switch', 'platform_c.spikeLimit=5'], 'no switch "platform_c.spikeLimit"'],
    [['--switch', 'toString=5'], 'no switch "toString"'],
    [['--switch', 'spikeLimit=-5'], '"spikeLimit" is a whole number'],
    [['--switch', 'bigIds=yes'], '"bigIds" is true or false'],
    [['--switch', 'listOrder=random'], '"listOrder" is one of oldest_first, newest_first'],
  ])('are refused by name: %j', (args, complaint) => {
    expect(read(...args)).toMatch(/^[12]: /);
    expect(read(...args)).toContain(complaint);
  });

  it('print every switch with its default on --help', () => {
    const help = read('--help');
    expect(help).toMatch(/^0: Usage: simulators/);
    expect(help).toContain('spikeLimit=25\n      Requests in 10 seconds');
    expect(help).toContain('staleEtagStatus=409, one of 409, 412\n');
  });
});
