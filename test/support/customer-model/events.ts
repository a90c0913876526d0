import type { FeedEvent } from '../customers/feed';
import type { Body, ModelCustomer, Shown } from './customer';

/** The state of a customer that follows from the events of the feed alone. */
export class FeedState {
  private readonly objects = new Map<string, Body>();
  private readonly cases = new Set<string>();
  private readonly ids = new Map<string, Set<string>>();
  private readonly seen = new Set<string>();
  /** The position up to which each reader was compared. */
  private readonly compared = new Map<number, number>();
  private heard = 0;

  /**
   * Expects that the feed numbers its events without gaps and is the same for all readers, that its events of objects
   * and cases lead to the present state, and that it reports each change, decision, sign-off and run once.
   *
   * @param cases IDs of all open cases
   * @param outdated IDs of sign-offs that were shown as not current
   */
  async expectAll(
    customer: ModelCustomer,
    cases: readonly string[],
    outdated: readonly string[],
  ): Promise<void> {
    const [first] = customer.readers;
    if (first === undefined) throw new Error('There is no reader');
    await first.read(customer.client(1));
    const fresh = first.events.slice(this.heard);
    for (const event of fresh) this.hear(event);
    this.expectReaders(customer);

    const objects = [...new Map(customer.shown.map((one) => [one.canonical_id, one])).values()];
    expect([...this.objects.keys()].toSorted()).toEqual(objects.map(({ canonical_id: id }) => id).toSorted());
    for (const one of objects) this.expectTold(one);
    expect([...this.cases].toSorted()).toEqual(cases.toSorted());

    const { decisions, signoffs, propagations } = customer;
    expect(this.told('propagation.settled')).toEqual([...propagations].toSorted());
    expect(this.told('decision.made')).toEqual([...decisions.made].toSorted());
    expect(this.told('decision.withdrawn')).toEqual([...decisions.withdrawn].toSorted());
    expect(this.told('statement.signed')).toEqual([...signoffs.made.keys()].toSorted());
    const toldOutdated = new Set(this.told('statement.signoff_outdated'));
    expect(outdated.filter((id) => !toldOutdated.has(id))).toEqual([]);
    await this.expectPast(customer, fresh);
  }

  private told(type: string): readonly string[] {
    return [...(this.ids.get(type) ?? [])].toSorted();
  }

  /**
   * Expects that the other readers, who read page by page at either instance while others wrote, received the same
   * events as the first one.
   */
  expectReaders({ readers }: ModelCustomer): void {
    const all = readers[0]?.events ?? [];
    for (const [place, { events }] of readers.entries()) {
      const from = this.compared.get(place) ?? 0;
      for (const [offset, event] of events.slice(from).entries()) {
        const known = all[from + offset];
        if (JSON.stringify(event) !== JSON.stringify(known)) expect(event).toEqual(known);
      }
      this.compared.set(place, events.length);
    }
  }

  private hear({ id, sequence, type, data }: FeedEvent): void {
    this.heard += 1;
    if (sequence !== this.heard) throw new Error(`${id} has the number ${sequence} in place ${this.heard}`);
    if (this.seen.has(id)) throw new Error(`${id} is told twice`);
    this.seen.add(id);
    if (type.startsWith('object.')) return this.hearOfObject(type, data);
    switch (type) {
      case 'case.opened':
        if (this.cases.has(data.case_id)) throw new Error(`${data.case_id} is opened twice`);
        return void this.cases.add(data.case_id);
      case 'case.closed':
        if (!this.cases.delete(data.case_id)) throw new Error(`${data.case_id} was not open`);
        return;
      case 'propagation.settled':
        return this.hearOnce(type, data.propagation_id);
      case 'decision.made':
      case 'decision.withdrawn':
        return this.hearOnce(type, data.decision_id);
      case 'statement.signed':
        return this.hearOnce(type, data.signoff_id);
      case 'statement.signoff_outdated':
        return this.note(type, data.signoff_id);
      case 'run.completed':
        return this.hearOnce(type, data.run_id);
      case 'field.ready':
        return this.hearOnce(type, `${data.entity_type} ${data.name} ${data.since}`);
      // More than a tenth of the payments was removed on the platform.
      case 'deletions.held':
        return;
      default:
        throw new Error(`Nothing here makes ${type}`);
    }
  }

  private hearOfObject(type: string, data: Body): void {
    const { canonical_id: id } = data;
    const isThere = ['object.changed', 'object.deleted', 'object.merged'].includes(type);
    if (this.objects.has(id) !== isThere)
      throw new Error(`${type} of ${id}, which is ${isThere ? 'not there' : 'there'}`);
    if (type === 'object.deleted' || type === 'object.merged') this.objects.delete(id);
    else this.objects.set(id, data);
  }

  private hearOnce(type: string, id: string): void {
    if (this.ids.get(type)?.has(id) === true) throw new Error(`${type} of ${id} is told twice`);
    this.note(type, id);
  }

  private note(type: string, id: string): void {
    this.ids.set(type, (this.ids.get(type) ?? new Set()).add(id));
  }

  /**
   * Expects the object's own values only: values that follow from another object or from terms change without an event
   * of the object.
   */
  private expectTold({ canonical_id: id, data, mappings }: Shown): void {
    const told = this.objects.get(id);
    const isSame =
      JSON.stringify(told.records) === JSON.stringify(mappings) &&
      JSON.stringify(ownValues(told.object)) === JSON.stringify(ownValues(data));
    // A matcher is slower, but shows the difference.
    if (!isSame)
      expect({ id, records: told.records, ...ownValues(told.object) }).toEqual({
        id,
        records: mappings,
        ...ownValues(data),
      });
  }

  /** Expects of some events that they show what a read as of their time shows. */
  private async expectPast(customer: ModelCustomer, fresh: readonly FeedEvent[]): Promise<void> {
    const changes = fresh.filter(({ type }) => type === 'object.changed' || type === 'object.created');
    for (const { at, data } of changes.slice(-3)) {
      const { body } = await customer.client(0).get(`/objects/${data.canonical_id}?as_of=${at}`);
      const { version, data: object, mappings } = body.data;
      expect({ at, version: data.version, object: data.object, records: data.records }).toEqual({
        ...{ at, version, object },
        records: mappings,
      });
    }
  }
}

function ownValues({
  amount: _amount,
  invoice_number: _number,
  custom: _custom,
  // The value of a removed own field becomes one of these.
  provider_metadata: _residue,
  ...own
}: Body): Body {
  return own;
}
