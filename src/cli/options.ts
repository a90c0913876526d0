import type { PlatformName } from '@app/mapper';
import { Option } from 'commander';
import { currencyArgument, nameArgument, platformArgument, reasonArgument, uuidArgument } from './arguments';

/** The input of every command. */
export interface Json {
  readonly json?: true;
}

export interface OfCustomer extends Json {
  readonly customer: string;
}

export interface OfConnection extends OfCustomer {
  readonly platform: PlatformName;
}

/** Options of a decision: who decides, and why. A command may require them. */
export interface Reasoned extends Json {
  readonly reason?: string;
  readonly decidedBy?: string;
}

/** Options that several commands share. */

export function jsonOption(): Option {
  return new Option('--json', 'print the result as JSON');
}

export function customerOption(): Option {
  return new Option('--customer <id>', 'ID of the customer').argParser(uuidArgument).makeOptionMandatory();
}

export function platformOption(): Option {
  return new Option('--platform <name>', 'name of the platform')
    .argParser(platformArgument)
    .makeOptionMandatory();
}

export function keyOption(): Option {
  return new Option('--key-id <id>', 'ID of the key, as listed')
    .argParser(uuidArgument)
    .makeOptionMandatory();
}

export function currencyOption(name: 'from' | 'to'): Option {
  return new Option(`--${name} <currency>`, 'ISO 4217 code')
    .argParser(currencyArgument)
    .makeOptionMandatory();
}

export function reasonOption(): Option {
  return new Option('--reason <text>', 'why; it is kept and shown with the change').argParser(reasonArgument);
}

export function deciderOption(): Option {
  return new Option('--decided-by <name>', 'who decides; it is kept and shown with the reason').argParser(
    nameArgument,
  );
}
