/** Characters of a piece, and of one copy operation. */
const PIECE = 256 * 1024;

/** Collects the bytes of a page: a part of a JSON array, with the brackets and commas that belong to it. */
export class PageBytes {
  readonly pieces: Buffer[] = [];
  private text: string;
  private count = 0;

  /**
   * @param before number of elements of the array before the page
   * @param opens whether the array begins with the page
   */
  constructor(
    private readonly before: number,
    opens: boolean,
  ) {
    this.text = opens ? '[' : '';
  }

  /** Number of elements of the page. */
  get records(): number {
    return this.count;
  }

  /** Appends an element. @returns whether a piece is complete */
  add(element: string): boolean {
    if (this.before + this.count > 0) this.text += ',';
    this.text += element;
    this.count += 1;
    if (this.text.length < PIECE) return false;
    this.cut();
    return true;
  }

  /** @param closes whether the array ends with the page */
  end(closes: boolean): void {
    if (closes) this.text += ']';
    if (this.text !== '') this.cut();
  }

  private cut(): void {
    this.pieces.push(Buffer.from(this.text));
    this.text = '';
  }
}
