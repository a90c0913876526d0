import { Injectable } from '@nestjs/common';
import type { JsonObject } from '@app/mapper';
import { ApiDescription } from '../common/openapi/api-description';
import { JsonText } from '../common/response/handler-results';
import { ListingsService } from '../objects/listing/listings.service';
import { ObjectQuery, ObjectsQuery } from '../objects/objects.dto';
import type { ObjectDetail } from '../objects/single/object-detail';
import { SingleReadsService } from '../objects/single/single-reads.service';
import { CasesService } from '../reconciliation/cases/cases.service';
import { SingleCases } from '../reconciliation/cases/single/single-cases';
import { CasesQuery, StatementQuery } from '../reconciliation/statement/statement.dto';
import { StatementService } from '../reconciliation/statement/statement.service';
import { SchemaService } from '../schema/schema.service';
import { responseText } from '../transform/response-text';
import { TransformDto } from '../transform/transform.dto';
import { TransformService } from '../transform/transform.service';
import { inputSchemaOf, withArguments } from './input-schema';
import type { Tool, ToolCall } from './tool';
import { onlyTextIn, readBody, readQuery, textIn, without } from './tool-input';
import { outcomeOf } from './tool-result';

/** The default number of rows of a page. It is small because an agent's context is limited. */
const USUAL_ROWS = 25;

/** The tools that read. They call the services of the API's operations, with the same input. */
@Injectable()
export class ReadingTools {
  constructor(
    private readonly description: ApiDescription,
    private readonly listings: ListingsService,
    private readonly singles: SingleReadsService,
    private readonly statements: StatementService,
    private readonly cases: CasesService,
    private readonly singleCases: SingleCases,
    private readonly schemas: SchemaService,
    private readonly transformations: TransformService,
  ) {}

  readonly tools: readonly Tool[] = [
    this.reading({
      name: 'list_objects',
      title: 'List records and objects',
      description:
        'Lists the records of one type on one platform with their canonical objects, or, with `q` or `canonical_id` and without `platform`, objects with their records. A page has 25 rows unless `limit` says otherwise; pass `next_cursor` as `cursor` with the same arguments for the next page.',
      inputSchema: () => this.schemaOf('listObjects', ['head', 'as_of']),
      call: async (given, { caller, answer }) => {
        const query = await readQuery(ObjectsQuery, { limit: USUAL_ROWS, ...without(given, 'head') });
        return outcomeOf(await this.listings.list(caller.customer.id, query, answer));
      },
    }),
    this.reading({
      name: 'get_object',
      title: 'Read one object',
      description:
        'Returns one canonical object: its fields, its record on each platform, the fields on which platforms differ and the value that counts, and its `version`.',
      inputSchema: () => this.schemaOf('getObject'),
      call: async (given, call) => outcomeOf(new JsonText((await this.object(given, call)).text)),
    }),
    this.reading({
      name: 'explain_link',
      title: 'Explain why records are one object',
      description:
        'Explains why the records of an object count as one: the evidence of each link, decisions of people, fields on which the platforms differ, and records that people have ruled out.',
      inputSchema: () => this.schemaOf('getObject'),
      call: async (given, call) => outcomeOf(new JsonText((await this.object(given, call)).linksText())),
    }),
    this.reading({
      name: 'get_statement',
      title: 'Read the reconciliation statement',
      description:
        'Compares the books of two platforms: counts, control totals whose lines add up, ages, and how fresh the figures are.',
      inputSchema: () => this.schemaOf('getStatement', ['head']),
      call: async (given, { caller, request, answer }) => {
        const query = await readQuery(StatementQuery, without(given, 'head'));
        return outcomeOf(await this.statements.statement(caller.customer.id, query, request, answer.gone));
      },
    }),
    this.reading({
      name: 'list_cases',
      title: 'List reconciliation cases',
      description:
        'Lists the cases behind the lines of a statement, each with its label, its amounts and what would settle it. A page has 25 unless `limit` says otherwise.',
      inputSchema: () => this.schemaOf('listCases', ['head']),
      call: async (given, { caller, answer }) => {
        const query = await readQuery(CasesQuery, { limit: USUAL_ROWS, ...without(given, 'head') });
        return outcomeOf(await this.cases.page(caller.customer.id, query, answer));
      },
    }),
    this.reading({
      name: 'get_case',
      title: 'Read one case',
      description:
        'Returns one case with every field compared on both platforms, its history, and its candidates.',
      inputSchema: () => this.schemaOf('getCase'),
      call: async (given, { caller, answer }) =>
        outcomeOf(await this.singleCases.get(caller.customer.id, onlyTextIn(given, 'id'), answer)),
    }),
    this.reading({
      name: 'describe_schema',
      title: 'Describe the fields of a type',
      description:
        'Lists the canonical fields of one type, including the customer’s own: what their values look like, whose value counts, where each platform has them, and whether they may be written there when creating or changing, and if not, why. Read it before you propose a change.',
      inputSchema: () => this.schemaOf('getSchema'),
      call: async (given, { caller }) =>
        outcomeOf(await this.schemas.get(caller.customer.id, onlyTextIn(given, 'entity_type'))),
    }),
    this.reading({
      name: 'translate',
      title: 'Preview a translation',
      description:
        'Translates a record of one platform into the shape of another, and reports what is lost. Looks nothing up, and stores and sends nothing.',
      inputSchema: () =>
        withArguments(
          this.schemaOf('transformRecord', ['data']),
          {
            data: {
              type: 'object',
              additionalProperties: true,
              description: 'The record in the shape of the source. A few known fields are enough.',
            },
          },
          ['data'],
        ),
      call: async (given, { caller, request }) => {
        const body = await readBody(TransformDto, given);
        const made = await this.transformations.transform(caller.customer, body, request.requestId);
        responseText(made); // Refuses what would be too long.
        return { ...made };
      },
    }),
  ];

  private async object(given: JsonObject, { caller, answer }: ToolCall): Promise<ObjectDetail> {
    const id = textIn(given, 'canonical_id');
    const { as_of } = await readQuery(ObjectQuery, without(given, 'canonical_id'));
    return this.singles.get(caller.customer.id, id, as_of, answer);
  }

  private schemaOf(operationId: string, leaveOut: readonly string[] = []): JsonObject {
    return inputSchemaOf(this.description.document, operationId, leaveOut);
  }

  private reading(tool: Omit<Tool, 'permission' | 'writes'>): Tool {
    return { ...tool, permission: 'read', writes: false };
  }
}
