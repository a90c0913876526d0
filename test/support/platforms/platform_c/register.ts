import { registerPlatform, type PlatformName } from '@app/mapper';
import { registerBehaviour } from '@app/behaviour';
import { smallPlatform } from '../../../../libs/mapper/src/testing/small-platform';
import { ledgerBehaviour } from './behaviour';

/**
 * A ledger as third platform of the service. A test file imports this before everything else: a module that is loaded later
 * finds three platforms. Its name comes first in the alphabet and last in precedence, so that the two are not confused.
 */
// The type lists the built-in platforms only; the registry itself goes by name.
export const ledger = 'ledger_c' as PlatformName;

registerPlatform(ledger, smallPlatform);
registerBehaviour(ledger, ledgerBehaviour);
