import type { JsonObject } from '@app/mapper';
import type { Applied, PartialWrite } from '../../platforms/connector';
import type { PutBack } from '../command/stored/commands.repository';

/** The outcome of an attempt to send or settle a command. */
export type AttemptOutcome =
  | Applied
  | {
      readonly status: 'rejected' | 'held' | 'skipped';
      readonly reason: string;
      readonly current?: JsonObject;
      /** The part that the platform has certainly applied. */
      readonly made?: PartialWrite;
    }
  | { readonly status: 'conflict'; readonly current: JsonObject }
  | ({ readonly status: 'put_back' } & PutBack)
  /** Another instance has claimed the command; nothing was sent. */
  | { readonly status: 'lost' };
