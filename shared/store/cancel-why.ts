/** What is given with a cancel; the handler's signal and History show it. */
export interface CancelWhy {
  readonly cancelReason?: string;
  readonly cancelledBy?: string;
}

/** The reason and the actor that a row, a job or the terms of a cancel carry, if they do. */
export function whyOf(carrier: object = {}): CancelWhy {
  const { cancelReason, cancelledBy } = carrier as Readonly<Record<keyof CancelWhy, unknown>>;
  return {
    ...(typeof cancelReason === 'string' ? { cancelReason } : {}),
    ...(typeof cancelledBy === 'string' ? { cancelledBy } : {}),
  };
}
