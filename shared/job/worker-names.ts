/** Value of the dimension `worker` of metrics for what concerns the whole deployment; no worker may have this name. */
export const ALL_WORKERS = 'all';

/** What a worker was called before it was renamed. */
export interface Renamed {
  readonly formerly?: readonly string[];
}

/** The present name of a worker: of a former name, the worker that has it now. A name that no worker has or had stays as it is. */
export function presentName(workers: Iterable<readonly [string, Renamed]>, name: string): string {
  let present = name;
  for (const [worker, { formerly = [] }] of workers) {
    if (worker === name) return name;
    if (formerly.includes(name)) present = worker;
  }
  return present;
}

/** A job of a renamed worker runs, and is counted, under the present name. Its row is updated when it is next written in full. */
export function byPresentName<Named extends { readonly worker: string }>(workers: Iterable<readonly [string, Renamed]>, job: Named): Named {
  const worker = presentName(workers, job.worker);
  return worker === job.worker ? job : { ...job, worker };
}

/** Every name of a worker, the present one first. */
export function namesOf(workers: ReadonlyMap<string, Renamed>, name: string): readonly string[] {
  const present = presentName(workers, name);
  return [present, ...(workers.get(present)?.formerly ?? [])];
}

/** The workers of a deployment. `get` and `has` find a renamed worker by its former names too; it is listed once, by its present name. */
export class WorkersByName<Worker extends Renamed> extends Map<string, Worker> {
  override get(name: string): Worker | undefined {
    return super.get(presentName(this, name));
  }

  override has(name: string): boolean {
    return super.has(presentName(this, name));
  }
}
