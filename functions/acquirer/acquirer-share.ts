/** Which share of the shards this acquirer serves: number `acquirer` of `of`. */
export interface AcquirerShare {
  readonly acquirer: number;
  readonly of: number;
}
