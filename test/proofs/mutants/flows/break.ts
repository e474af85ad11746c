/** A rule that a flow broke. */
export interface Break {
  readonly rule: string;
  readonly what: string;
}
