import { entityTypes } from '@app/mapper';
import { ApiParam } from '@nestjs/swagger';

/** Describes the type in a path, which may be any of the canonical ones. */
export const EntityTypeParameter = (): MethodDecorator =>
  ApiParam({ name: 'entity_type', enum: entityTypes, description: 'The canonical type.' });
