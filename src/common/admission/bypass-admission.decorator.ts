import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/** Metadata key of {@link BypassAdmission}. */
export const BYPASS_ADMISSION = 'bypass-admission';

/** Marks handlers that never wait for the event loop: a monitor needs the response most when the process is busiest. */
export const BypassAdmission = (): CustomDecorator => SetMetadata(BYPASS_ADMISSION, true);
