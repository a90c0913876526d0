import type { Command } from 'commander';
import type { Access } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';

export function addCredentials(root: Command, { operate }: Access, output: Output): void {
  root
    .command('credentials')
    .description('Encrypted credentials of all live connections')
    .command('rewrap')
    .description('Encrypt credentials with the first of CREDENTIALS_KEYS if another key encrypted them')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const rewrapped = await operate(({ credentials }) => credentials.rewrap());
      if (json) return output.json({ rewrapped });
      output.out(`Sealed ${rewrapped} ${rewrapped === 1 ? 'row' : 'rows'} with the first key\n`);
    });
}
