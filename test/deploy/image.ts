import { DockerfileParser, type From, type Instruction, type ModifiableInstruction } from 'dockerfile-ast';
import { textOf } from './project';

/** One FROM of the Dockerfile, and what follows it up to the next. */
export interface Stage {
  readonly name: string | null;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** One COPY or ADD. */
export interface Copy {
  readonly keyword: string;
  /** The stage that the files come from, or undefined for the build context. */
  readonly stage: string | undefined;
  readonly owner: string | undefined;
  readonly sources: readonly string[];
  readonly destination: string;
}

/** The stages of the project's Dockerfile, in order. */
export function stages(): Stage[] {
  const found: { name: string | null; from: string; instructions: Instruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(textOf('Dockerfile')).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const from = instruction as From; // The parser gives every FROM this class.
      found.push({ name: from.getBuildStage(), from: from.getImage() ?? '', instructions: [] });
    } else {
      found.at(-1)?.instructions.push(instruction);
    }
  }
  return found;
}

/** The stage that becomes the image. */
export function lastStage(): Stage {
  const stage = stages().at(-1);
  if (stage === undefined) throw new Error('The Dockerfile has no stage');
  return stage;
}

/** The arguments of each instruction of this name, without flags, in order. */
export function argumentsOf(stage: Stage, keyword: string): string[] {
  return stage.instructions
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '');
}

/** The files that a stage takes in. */
export function copies(stage: Stage): Copy[] {
  return stage.instructions
    .filter((instruction) => ['COPY', 'ADD'].includes(instruction.getKeyword()))
    .map(copyOf);
}

/** What one COPY or ADD says. */
export function copyOf(instruction: Instruction): Copy {
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  return {
    keyword: instruction.getKeyword(),
    stage: flagOf(instruction, 'from'),
    owner: flagOf(instruction, 'chown'),
    sources: paths.slice(0, -1),
    destination: paths.at(-1) ?? '',
  };
}

function flagOf(instruction: Instruction, name: string): string | undefined {
  const flags = isModifiable(instruction) ? instruction.getFlags() : [];
  return flags.find((flag) => flag.getName() === name)?.getValue() ?? undefined;
}

function isModifiable(instruction: Instruction): instruction is ModifiableInstruction {
  return 'getFlags' in instruction;
}

/** A command in the form without a shell; a shell would keep signals from the program. */
export function execForm(text: string): string[] {
  const command: unknown = JSON.parse(text);
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) {
    throw new Error(`expected a JSON array of texts, received ${text}`);
  }
  return command;
}
