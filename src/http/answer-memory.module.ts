import { Global, Module } from '@nestjs/common';
import { AnswerMemory } from './answer-memory';

/** The one account of the memory of answers in this process. */
@Global()
@Module({
  providers: [{ provide: AnswerMemory, useFactory: () => new AnswerMemory() }],
  exports: [AnswerMemory],
})
export class AnswerMemoryModule {}
