import type { SimulatedConnection } from '@app/simulators';

/** What other people see and do on a simulated platform, over its control port. */
export class SimulatedPlatform {
  constructor(private readonly connection: SimulatedConnection) {}

  /** Does something to the platform; the control port's `GET /state` lists what there is. */
  async edit(name: string, input: object): Promise<unknown> {
    const answer = await fetch(`${this.connection.control_url}/state/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
    });
    if (!answer.ok) throw new Error(`The simulator refused "${name}": ${await answer.text()}`);
    return answer.json();
  }

  /** Some fields of a record as the platform has it now, as text. */
  async fields(
    where: { readonly kind: string } | { readonly table: string },
    id: string,
    names: readonly string[],
  ): Promise<string> {
    const records = await this.edit('read_records', where);
    const record: unknown = Array.isArray(records)
      ? records.find((one: unknown) => String(memberOf(one, 'id')) === id)
      : undefined;
    return names.map((name) => `${name} ${JSON.stringify(memberOf(record, name))}`).join(', ');
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
