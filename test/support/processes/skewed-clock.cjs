// Loaded before a service of a test: its clock then is `CLOCK_SKEW_MS` milliseconds ahead of the machine's, or behind it. With
// `CLOCK_JUMPS` it does not stay so: every `CLOCK_JUMPS_EVERY_MS` it takes the next of these skews, and the first behind the last.
const { CLOCK_SKEW_MS = '0', CLOCK_JUMPS = '', CLOCK_JUMPS_EVERY_MS = '1000' } = process.env;
const skews = [CLOCK_SKEW_MS, ...CLOCK_JUMPS.split(',').filter((skew) => skew !== '')].map(Number);
const MachineDate = Date;

let place = 0;
if (skews.length > 1) {
  setInterval(() => (place = (place + 1) % skews.length), Number(CLOCK_JUMPS_EVERY_MS)).unref();
}

globalThis.Date = class Date extends MachineDate {
  constructor(...values) {
    if (values.length === 0) super(MachineDate.now() + skews[place]);
    else super(...values);
  }

  static now() {
    return MachineDate.now() + skews[place];
  }
};
