/** The share of the shards that this acquirer serves: number `acquirer` of `of`. */
export interface AcquirerShare {
  readonly acquirer: number;
  readonly of: number;
}
