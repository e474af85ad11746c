/** A bug of the product that a proof found: the shortest sequence that shows it, what found it, and the test that holds it now. */
export interface FoundBug {
  readonly bug: string;
  readonly sequence: string;
  /** The proof, with the seed, the order or the base that showed it. */
  readonly by: string;
  readonly test: readonly [file: string, title: string];
}

/** The bugs that the proofs found since each of them draws fresh seeds; wrong rules of the proofs themselves are not among them. */
export const FOUND_BUGS: readonly FoundBug[] = [
  {
    bug: 'A cancelled run was told as completed',
    sequence:
      'A cancel is requested while the handler runs. The delete that ends the run loses its reply. The repeat finds no row and takes that for its own completion; with follow-ups it also sends hints for jobs that do not exist.',
    by: 'simulation, seeds 70999206, 395848220, 60000021, 60000027',
    test: ['test/race/ends-with-lost-replies.test.ts', 'is told as cancelled also when the key that ends with it has gone already'],
  },
  {
    bug: 'A change of an operator was applied twice',
    sequence:
      'An edit is applied and its reply is lost. The process sleeps for more than ten minutes, and the SDK repeats the transaction, whose token the store has forgotten. It is refused, the verb looks again and writes over what another operator changed meanwhile.',
    by: 'simulation, seeds 727069277, 230187660, 70999231',
    test: ['test/faults/forgotten-tokens.test.ts', 'does not write its edit over one that was made meanwhile'],
  },
  {
    bug: 'A bulk action began twice',
    sequence:
      'The transaction that begins it is under way for longer than its token lives, while its repeat is applied and the action goes on. The late attempt puts the row of the beginning over it.',
    by: 'simulation',
    test: ['test/unit/operate/bulk-rows.test.ts', 'is not begun again by an attempt that comes after its token was forgotten'],
  },
  {
    bug: 'A cancelled job came back',
    sequence:
      'The reply to a put is lost. The clock of the producer goes back by forty minutes, so the window of the put is open again. The job is cancelled, then the second attempt writes it anew.',
    by: 'simulation, seed 852961696',
    test: ['test/unit/dynamodb/attempts.test.ts', 'a clock that is set back a little again and again is noticed'],
  },
  {
    bug: 'An edit that was applied was told as lost',
    sequence:
      'The edit is applied and three replies are lost. The last attempt meets another transaction. The verb takes the conflict for the outcome, reads the revision that it wrote itself and answers `changed`.',
    by: 'simulation, seed 555858706',
    test: ['test/unit/dynamodb/transaction.test.ts', 'a conflict that stays says nothing once an earlier attempt may have been applied'],
  },
  {
    bug: 'A replaced job kept its message in a queue where it no longer belonged',
    sequence:
      'A job is ready in one lane. An enqueue with its key replaces it by a job of another lane, which is not due sooner. The message stays where it is, and an urgent job is delivered by the slow queue.',
    by: 'simulation, seed 9578020',
    test: ['test/unit/store/replace-holder.test.ts', 'sends a ready job anew that belongs to another queue'],
  },
  {
    bug: 'A unique key was never free again',
    sequence:
      'Two operators bury one job, and one of them redrives it. The other was refused before the redrive, goes by that refusal, and buries the job under another id. Its key stays with a job that does not exist.',
    by: 'simulation, seed 60070',
    test: [
      'test/race/operator-burials.test.ts',
      'buries one with its id and frees its key that another operator buried and redrove meanwhile',
    ],
  },
  {
    bug: 'Missed occurrences were left out after one was taken away',
    sequence:
      'An operator buries or cancels the next occurrence of a schedule. The scheduler is out for several periods. The sweeper applies the missed policy to the occurrence that is gone, and none runs for those behind it.',
    by: 'simulation, seed 52065',
    test: [
      'test/features/schedules/unit/repair-schedule.test.ts',
      'leaves what was missed since an occurrence was cancelled to the missed policy',
    ],
  },
  {
    bug: 'A late renewal shortened a lease',
    sequence:
      'A worker outside Lambda renews twice. The first request arrives after the second and writes its earlier expiry over the later one. The lock of the group ends while its job runs, and another one starts.',
    by: 'simulation of workers outside Lambda, seed 43343434',
    test: ['test/race/renewals.test.ts', 'and arrives after the next one does not shorten the lease'],
  },
  {
    bug: 'A second receive of a worker took the group lock from the first',
    sequence:
      'A worker outside Lambda runs a grouped job. Another receive of the same worker finds a second job of the group. From then on the heartbeat of the first renews its lease, but not the lock.',
    by: 'simulation of workers outside Lambda',
    test: ['test/race/outside-locks.test.ts', 'is renewed with its job, although another receive of the same worker finds the group held'],
  },
  {
    bug: 'A cancelled job whose message names no group stayed leased',
    sequence:
      'A message that does not name the group of its job is claimed. A cancel is requested before the job starts. The write that sends the job back is refused for the cancel, and nobody ends the job until its lease ends.',
    by: 'orders, `cancel × execute-nameless @ ready/group/plain/durable`, order 00011000',
    test: ['test/flow/cancel-before-start.test.ts', 'ends at once where its message did not name its group'],
  },
  {
    bug: 'A cancelled occurrence was skipped',
    sequence:
      'An occurrence is claimed, and a cancel is requested. Its schedule is deleted. The executor finds no schedule and skips the occurrence, although its caller was told that it would be cancelled.',
    by: 'orders, `cancel × schedules.delete × execute @ ready/schedule/plain/durable`, order 00000000111100',
    test: ['test/flow/cancel-before-start.test.ts', 'ends as cancelled where its schedule was deleted and it would have been skipped'],
  },
  {
    bug: 'The error group of a row depended on the store',
    sequence:
      'A row has two attributes that cannot be read. The error names the one that the store returns first, and the stores return attributes in different orders.',
    by: 'differential test, verbs, seed 799367103',
    test: ['test/unit/store/job-codec.test.ts', 'of several unreadable attributes the first by name is named'],
  },
  {
    bug: 'One unfit row of many was refused in memory, but given back by DynamoDB',
    sequence: '`putAll` with more than 25 rows, one of which is too large. The tables in memory threw and wrote none of the other batches.',
    by: 'differential test, tables, seed 971412920',
    test: ['testing/contract/tables-pages.ts', 'putAll gives back the rows of a batch that was refused if another batch was written'],
  },
  {
    bug: 'A row stopped its executor before anything was written',
    sequence:
      'The row of a job of an unknown type has a text as its number of earlier tries. The backoff is no number, the executor throws, and the message comes back until its queue gives it up.',
    by: 'fuzzing of rows, seed 498465535',
    test: ['test/flow/held-causes.test.ts', 'begins the backoff anew where the row says'],
  },
  {
    bug: 'The search for the next time of a schedule never ended',
    sequence:
      'The only time of a cron expression lies in the gap of the clocks every year, such as 02:17 on the second Sunday of March in New York, and skipped times are left out.',
    by: 'schedules, base 564613765',
    test: ['test/features/schedules/model/rare-days.test.ts', 'a time that the clocks skip in every year never comes'],
  },
  {
    bug: 'A job that was moved while it was buried died without an error group',
    sequence:
      'An operator buries a job; once the error group of its type has a row, another one moves the job to another type. The burial finds the job again and buries it as of the new type, whose group has no row.',
    by: 'orders, base 859339448',
    test: ['test/race/operator-burials.test.ts', 'counts one as dead of the type to which it moved meanwhile'],
  },
  {
    bug: 'A job waited for ever for its turn in a group',
    sequence:
      'A dead letter holds its group back. One operator releases the group, and the next job starts. Another one who releases it, too, finds the dead letter; it is redriven, takes its place again and is parked behind that job. Then the second release removes the place, and nothing wakes the job any more.',
    by: 'simulation, seed 591271597',
    test: [
      'test/features/group-order/race/group-order.test.ts',
      'leave a job its place that it took again meanwhile, to wait for another one',
    ],
  },
  {
    bug: 'An occurrence started after a later one, although the latest wins',
    sequence:
      'An occurrence takes the turn of its schedule; the write is late. A later one takes the turn meanwhile and ends, and the first, retried, takes it again. Then the late write is applied, because the turn is its own: the time of the latest is set back, and one between them starts.',
    by: 'simulation, seed 418871080',
    test: [
      'test/features/schedules/unit/schedule-turn.test.ts',
      'is not set back by what an earlier claim of its holder wrote and what arrives late',
    ],
  },
  {
    bug: 'A handler outside Lambda was not told that its process ends',
    sequence:
      'A machine stands still for minutes. When it goes on, the lease of a job has nearly ended whose handler does not heed its signal, so the process ends at once. The handlers of jobs that it has claimed since are gone without a signal.',
    by: 'simulation, seed 418871196',
    test: ['test/flow/outside-ends.test.ts', 'tells the others that their time is over, also when there is none left to wait for them'],
  },
  {
    bug: 'More jobs ran under a limit than it allows',
    sequence:
      'A worker claims a job and stands still before it reads the slots. Its lease ends, and another executor claims the job and takes a slot. The first goes on, finds the slot of its job and takes it as its own; then it learns that the job is lost, and hands the slot to the next, while the job runs.',
    by: 'simulation, seed 19036239',
    test: [
      'test/features/limits/race/limit-gates.test.ts',
      'leaves it to the claim that came after its own, when it stood still on its way',
    ],
  },
  {
    bug: 'A job that took the place of a suspended one kept what only the old one had',
    sequence:
      'A job with a deadline for its start fails once, is retried and suspended with its type. An enqueue with its key replaces it, without a deadline. The row kept the attributes that the new job does not have: the old deadline, which had passed, and the old error. As a job that had failed before, it ran all the same; without the error it would have expired.',
    by: 'simulation',
    test: ['test/unit/store/replace-holder.test.ts', 'leaves nothing of the job that a suspended one was, but why it is suspended'],
  },
  {
    bug: 'A task was handed out at which nobody might work any more',
    sequence:
      'An external session locks the group of a job and stands still until that lock is over. It claims the job and hands it out, locked until a moment that has passed. Nobody works at it until the lease of the job ends, and its group is free meanwhile.',
    by: 'simulation, seed 357569991',
    test: [
      'test/flow/external-trouble.test.ts',
      'is given back when the process stood still since it locked the group, until that lock was over',
    ],
  },
  {
    bug: 'The place of a job in a strict group outlived the job',
    sequence:
      'A job of a group with an order finds that it is not its turn and takes its place again, should an operator have made its group pass it. The write is late: the job is parked, runs and ends meanwhile. Then its place is there again, and the next job of the group waits until the acquirer finds that nobody stands there.',
    by: 'simulation, seed 527614125',
    test: [
      'test/features/group-order/unit/group-order-requests.test.ts',
      'takes a place again in the transaction that parks its job, so that no place outlives the job',
    ],
  },
  {
    bug: 'A callback was enqueued for the tenant that its batch had before',
    sequence:
      'The last child of a batch ends. Its executor reads the batch and the callback that is due; an operator gives the batch to another tenant, callbacks included; then the executor enqueues the callback as it was read, for the old tenant.',
    by: 'simulation, seed 9300495',
    test: [
      'test/features/batches/flow/batch-tenant.test.ts',
      'has its callbacks enqueued for the new tenant also when they were read before the change',
    ],
  },
];
