/** A number with the characters that it was sent with. */
export class ExactNumber {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}
