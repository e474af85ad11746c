/** An error as it is shown. */
export interface ShownError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly at: Date;
}
