/** ISO 4217: the local currency of the simulated company. */
export const LOCAL_CURRENCY = 'QAR';
