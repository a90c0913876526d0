import { Injectable } from '@nestjs/common';
import { ApiError, invalidInput } from '../common/errors/api-error';
import type { Handling } from '../common/idempotency/idempotency.service';
import { reasonOf, type TermReasonDto } from '../common/validation/term-reason.dto';
import { AgreementsService } from '../terms/agreements/agreements.service';
import { agreedRuleNames, problemOfLevel, type AgreedRuleName } from '../terms/agreements/agreed-rules';
import { shownRule, shownRules } from '../terms/shown-agreements';
import type { RuleDto } from './rules.dto';
import type { RuleResponse } from './rules.response';

/** The rules of a customer, over the API. */
@Injectable()
export class RulesService {
  constructor(private readonly agreements: AgreementsService) {}

  /** Every rule with its level. */
  async list(customerId: string): Promise<readonly RuleResponse[]> {
    return shownRules(await this.agreements.list(customerId, 'rule'));
  }

  /** How a level is set. @throws ApiError 404 for an unknown rule, 400 for a level of another one; UnknownCustomer */
  setting(customerId: string, name: string, body: RuleDto): Handling<RuleResponse> {
    const rule = ruleNamed(name);
    const problem = problemOfLevel(rule, body.level);
    if (problem !== undefined) throw invalidInput([problem]);
    return {
      first: async () => {
        const agreed = await this.agreements.setRule(customerId, rule, body.level, reasonOf(body));
        return shownRule(rule, body.level, agreed);
      },
    };
  }

  /** How a rule goes back to its default level. @throws ApiError 404 for a rule that has it; UnknownCustomer */
  clearing(customerId: string, name: string, body: TermReasonDto): Handling<void> {
    const rule = ruleNamed(name);
    return { first: () => this.agreements.clearRule(customerId, rule, reasonOf(body)) };
  }
}

function ruleNamed(name: string): AgreedRuleName {
  const rule = agreedRuleNames.find((known) => known === name);
  if (rule === undefined)
    throw new ApiError('NOT_FOUND', `There is no such rule; there are ${agreedRuleNames.join(', ')}`);
  return rule;
}
