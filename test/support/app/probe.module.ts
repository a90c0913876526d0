import { Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { IsIn, IsString } from 'class-validator';
import { Public, Requires } from '../../../src/auth/guard/access.decorators';
import { Bare } from '../../../src/common/response/bare.decorator';
import { ApiError } from '../../../src/common/errors/api-error';
import { IfPresent, IsJsonObject } from '../../../src/common/validation/json-object.validator';
import { RateLimited } from '../../../src/common/rate-limit/rate-limited.decorator';
import { StreamedJson } from '../../../src/common/response/handler-results';
import { ValidBody, ValidQuery } from '../../../src/common/validation/valid-input.decorators';

class ProbeBody {
  @IsIn(['platform_a', 'platform_b'])
  platform: string;

  @IsString()
  name: string;

  @IfPresent()
  @IsJsonObject()
  data?: object;
}

class ProbeQuery {
  @IsIn(['platform_a', 'platform_b'])
  platform: string;
}

/** The number of characters of one piece of the long streams. Each piece is sent separately. */
export const PIECE = 100_000;
/** The number of pieces of the finite stream. */
export const PIECES = 50;

/** Counters of the probe's streams. */
export const streams = { written: 0, ended: 0 };

const piece = JSON.stringify('x'.repeat(PIECE - 2));

/** Routes for behaviour that no route of the service shows. */
@Controller('probe')
class ProbeController {
  @Post()
  @Requires('read')
  @HttpCode(200)
  echo(@ValidBody() body: ProbeBody): ProbeBody {
    return body;
  }

  @Post('bare')
  @Requires('read')
  @HttpCode(200)
  @Bare()
  bare(@ValidBody() body: ProbeBody): ProbeBody {
    return body;
  }

  @Post('public')
  @HttpCode(200)
  @Public()
  open(@ValidBody() body: ProbeBody): ProbeBody {
    return body;
  }

  @Get()
  @Requires('read')
  query(@ValidQuery() query: ProbeQuery): ProbeQuery {
    return query;
  }

  @Get('limited')
  @Requires('read')
  @RateLimited()
  limited(): ProbeQuery {
    return { platform: 'platform_a' };
  }

  @Get('nothing')
  @Requires('read')
  @HttpCode(204)
  nothing(): undefined {
    return undefined;
  }

  @Get('fault')
  @Requires('read')
  fault(): never {
    throw Object.assign(new Error('password=hunter2'), { parameters: ['secret of a customer'] });
  }

  @Get('conflict')
  @Requires('read')
  conflict(): never {
    throw new ApiError('CONFLICT_ERROR', 'Already there', { cause: new Error('uq_secret') });
  }

  @Get('stream/short')
  @Requires('read')
  short(): StreamedJson {
    return new StreamedJson(pieces('[1,{"a":2}', ',3', ']'));
  }

  @Get('stream/long')
  @Requires('read')
  long(): StreamedJson {
    return new StreamedJson(
      pieces('[', ...Array.from({ length: PIECES }, (_, index) => (index === 0 ? piece : `,${piece}`)), ']'),
    );
  }

  @Get('stream/fails-first')
  @Requires('read')
  failsFirst(): StreamedJson {
    return new StreamedJson(piecesThen(new ApiError('EXTERNAL_SERVICE_ERROR', 'no database'), '['));
  }

  @Get('stream/fails-midway')
  @Requires('read')
  failsMidway(): StreamedJson {
    return new StreamedJson(piecesThen(new Error('the database went away'), `[${piece}`, `,${piece}`));
  }

  @Get('stream/endless')
  @Requires('read')
  endless(): StreamedJson {
    return new StreamedJson(endlessPieces());
  }
}

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

@Module({ controllers: [ProbeController] })
export class ProbeModule {}

async function* piecesThen(failure: Error, ...texts: string[]): AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
  throw failure;
}

async function* endlessPieces(): AsyncGenerator<string> {
  try {
    for (let separator = '['; ; separator = ',') {
      yield await Promise.resolve(separator + piece);
      streams.written += 1;
    }
  } finally {
    streams.ended += 1;
  }
}
