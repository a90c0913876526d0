import { Injectable } from '@nestjs/common';
import { ownMember, type JsonObject } from '@app/mapper';
import { digestOf } from '../common/idempotency/digest';
import { Idempotency, type Handling } from '../common/idempotency/idempotency.service';
import { keyedBy } from '../common/idempotency/keyed-request';
import { invalidInput } from '../common/errors/api-error';
import { ApiDescription } from '../common/openapi/api-description';
import { digestOfEffects } from '../propagate/effects-digest';
import { PropagateDto } from '../propagate/propagate.dto';
import { PropagateService } from '../propagate/propagate.service';
import { DecisionDto } from '../reconciliation/decisions/decisions.dto';
import { DecisionsService } from '../reconciliation/decisions/decisions.service';
import { Clock } from '../runtime/clock/clock';
import { inputSchemaOf, withArguments } from './input-schema';
import {
  proposalFor,
  proposalIsOver,
  readProposal,
  type Proposer,
  type ReadProposal,
  type Shown,
} from './proposal';
import type { Tool, ToolCall, ToolOutcome } from './tool';
import { optionalTextIn, readBody, textIn, without } from './tool-input';
import { outcomeOf } from './tool-result';

const proposal = {
  type: 'string',
  description:
    'The `proposal` that the dry run with exactly the same other arguments returned; valid for an hour.',
};
const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description:
    'A new key of your choice for each proposal, such as a UUID. If you repeat a call with the same key, it has its effect only once.',
};

// A short schema without fields. The fields of five types in two formats would be most of what an agent reads about all
// tools.
const changedData: JsonObject = {
  type: 'object',
  additionalProperties: true,
  description:
    'The fields to change, as a JSON merge patch: null clears a field. In canonical format it takes the fields that `describe_schema` lists, in platform format the platform’s own fields.',
};

/** The arguments that control the application of a proposal and are not part of it. */
const ofApplying = ['proposal', 'idempotency_key', 'dry_run'];

/** A decision names records, not the version of an object. */
const nothingSeen: Shown = { version: '', effects: '' };

/**
 * The tools that change something, and their dry runs. A change requires the token of its dry run and an idempotency
 * key, so that only what was proposed is applied, and only once.
 */
@Injectable()
export class ChangingTools {
  constructor(
    private readonly description: ApiDescription,
    private readonly propagations: PropagateService,
    private readonly decisions: DecisionsService,
    private readonly idempotency: Idempotency,
    private readonly clock: Clock,
  ) {}

  readonly tools: readonly Tool[] = [
    {
      name: 'propose_change',
      title: 'Propose a change (dry run)',
      description:
        'Shows what a change would do: the object afterwards, and each field that the service would send to each platform. Stores and sends nothing. Show the result to the person before you call `apply_change` with the same arguments and `proposal`.',
      permission: 'write',
      writes: false,
      inputSchema: () => this.changeSchema(),
      call: (given, call) => this.proposeChange(without(given, ...ofApplying), call),
    },
    {
      name: 'apply_change',
      title: 'Apply a proposed change',
      description:
        'Makes a change that `propose_change` has shown, on every connected platform. Takes the same arguments, its `proposal` and an `idempotency_key`. The service refuses the change if the object, or what would be written, has changed since; then propose it again, and apply it with another `idempotency_key`.',
      permission: 'write',
      writes: true,
      inputSchema: () =>
        withArguments(this.changeSchema(), { proposal, idempotency_key: idempotencyKey }, [
          'proposal',
          'idempotency_key',
        ]),
      call: (given, call) => this.applyChange(given, without(given, ...ofApplying), call),
    },
    {
      name: 'decide',
      title: 'Decide whether two records are one',
      description:
        'Links two records of different platforms, or rules out that they are one. Without `proposal` it is a dry run that shows the effect and returns a `proposal`; with it, an `idempotency_key` and otherwise the same arguments, the decision is made. Only a person decides: `reason` and `decided_by` come from that person.',
      permission: 'decide',
      writes: true,
      inputSchema: () =>
        withArguments(inputSchemaOf(this.description.document, 'decideMatch', ['dry_run']), {
          proposal,
          idempotency_key: idempotencyKey,
        }),
      call: (given, call) => {
        const decision = without(given, ...ofApplying);
        return optionalTextIn(given, 'proposal') === undefined
          ? this.proposeDecision(given, decision, call)
          : this.decide(given, decision, call);
      },
    },
  ];

  private changeSchema(): JsonObject {
    const schema = inputSchemaOf(this.description.document, 'propagateChange', ['dry_run']);
    return withArguments(schema, { data: changedData });
  }

  private async proposeChange(change: JsonObject, call: ToolCall): Promise<ToolOutcome> {
    const { caller, request } = call;
    const body = await readBody(PropagateDto, { ...change, dry_run: true });
    const shown = await this.propagations.propagate(caller.customer, body, request);
    const seen = { version: shown.canonical.version, effects: digestOfEffects(shown) };
    return { ...outcomeOf(shown), proposal: this.sealed('apply_change', change, call, seen) };
  }

  private async applyChange(given: JsonObject, change: JsonObject, call: ToolCall): Promise<ToolOutcome> {
    const { caller, request } = call;
    const read = this.proposed('apply_change', given, change, call);
    const body = await readBody(PropagateDto, change);
    const conditions = { known: [read.version], effects: read.effects };
    const applying = this.propagations.once(caller.customer, body, request, conditions);
    return this.once('apply_change', given, change, call, unlessOver(read, applying));
  }

  private async proposeDecision(
    given: JsonObject,
    decision: JsonObject,
    call: ToolCall,
  ): Promise<ToolOutcome> {
    if (optionalTextIn(given, 'idempotency_key') !== undefined) {
      throw invalidInput(['proposal is required with idempotency_key; without both this is a dry run']);
    }
    const body = await readBody(DecisionDto, { ...decision, dry_run: true });
    const shown = await this.idempotency.answer(
      call.caller.customer,
      undefined,
      this.decisions.once(call.caller.customer.id, body),
    );
    return {
      ...outcomeOf(shown),
      dry_run: true,
      proposal: this.sealed('decide', decision, call, nothingSeen),
    };
  }

  private async decide(given: JsonObject, decision: JsonObject, call: ToolCall): Promise<ToolOutcome> {
    const read = this.proposed('decide', given, decision, call);
    const body = await readBody(DecisionDto, decision);
    const deciding = this.decisions.once(call.caller.customer.id, body);
    return this.once('decide', given, decision, call, unlessOver(read, deciding));
  }

  private sealed(tool: string, given: JsonObject, call: ToolCall, shown: Shown): string {
    return proposalFor({ tool, given }, proposerOf(call), shown, this.clock.now());
  }

  private proposed(tool: string, given: JsonObject, what: JsonObject, call: ToolCall): ReadProposal {
    if (ownMember(given, 'dry_run') === true)
      throw invalidInput(['dry_run must not be true with proposal: what was proposed is applied']);
    const token = textIn(given, 'proposal');
    return readProposal(token, { tool, given: what }, proposerOf(call), this.clock.now());
  }

  /** Applies the change once for its key. */
  private async once<Result>(
    tool: string,
    given: JsonObject,
    what: JsonObject,
    { caller }: ToolCall,
    handling: Handling<Result>,
  ): Promise<ToolOutcome> {
    const key = keyedBy(textIn(given, 'idempotency_key'), digestOf('MCP', tool, what), 'idempotency_key');
    return outcomeOf(await this.idempotency.answer(caller.customer, key, handling));
  }
}

function proposerOf({ caller, keyHash }: ToolCall): Proposer {
  return { customerId: caller.customer.id, keyHash };
}

/** A repetition gets the kept answer, even if the proposal has expired by then. */
function unlessOver<Result>({ isOver }: ReadProposal, handling: Handling<Result>): Handling<Result> {
  return {
    ...handling,
    first: async (claim) => {
      if (isOver) throw proposalIsOver();
      return handling.first(claim);
    },
  };
}
