/**
 * ISO 4217 codes of the currencies in use, by the number of decimals of their minor unit (ISO 4217, table A.1).
 * Funds, precious metals and test codes are left out: no contract is paid in them. CLF and UYW are units of account
 * in which construction contracts are in fact written.
 */
const codesByExponent: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY ' +
    'COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
    'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
    'MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
    'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ' +
    'ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(exponent)]),
  ),
);

/** Codes of all currencies that amounts can be given in. */
export const currencyCodes: readonly string[] = [...exponents.keys()].sort();

/** Whether a text is the code of a currency that amounts can be given in. Codes are upper case. */
export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/**
 * Decimals of a currency's minor unit: 2 for USD, 0 for JPY, 3 for KWD.
 *
 * @throws RangeError when the code is no currency; ask {@link isCurrency} first where it comes from outside
 */
export function exponentOf(currency: string): number {
  const exponent = exponents.get(currency);
  if (exponent === undefined) throw new RangeError(`${currency} is not an ISO 4217 currency`);
  return exponent;
}
