// Loaded before a service of a test: its clock then is `CLOCK_SKEW_MS` milliseconds ahead of the machine's, or behind it.
const skew = Number(process.env.CLOCK_SKEW_MS ?? 0);
const MachineDate = Date;

globalThis.Date = class Date extends MachineDate {
  constructor(...values) {
    if (values.length === 0) super(MachineDate.now() + skew);
    else super(...values);
  }

  static now() {
    return MachineDate.now() + skew;
  }
};
