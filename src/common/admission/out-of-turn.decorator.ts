import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/** Metadata key of {@link OutOfTurn}. */
export const OUT_OF_TURN = 'out-of-turn';

/** Marks handlers that never wait for the event loop: whoever watches the process needs its answer when it is busiest. */
export const OutOfTurn = (): CustomDecorator => SetMetadata(OUT_OF_TURN, true);
