import { errorText } from '../../shared/job/error-text.ts';
import type { AnyJobType } from '../../shared/job/job-type.ts';
import { liftStored, knowsCodec } from '../../shared/job/payload-codec.ts';
import { isNewer } from '../../shared/job/upcast.ts';
import { validatePayload } from '../../shared/job/validate.ts';
import type { JobView, LiftedPayload } from './job-view.ts';

type Stored = Pick<JobView, 'payload' | 'schemaVersion' | 'codec' | 'tenant'>;

/**
 * What a handler of this version of the type would get, for a payload that is stored encoded or in another version; undefined for one that is
 * stored as the handler gets it, or encoded by a codec that this session does not have.
 */
export async function liftedPayload(type: AnyJobType, stored: Stored): Promise<LiftedPayload | undefined> {
  const { payload, schemaVersion = 1, codec } = stored;
  if (payload === undefined || !knowsCodec(type, stored) || (codec === undefined && schemaVersion === type.schemaVersion)) return undefined;
  const of = { schemaVersion: type.schemaVersion };
  if (isNewer(type, { schemaVersion })) return { ...of, problem: `It is newer: code of version ${type.schemaVersion} cannot read it.` };
  try {
    const lifted = await liftStored(type, { ...stored, type: type.name, payload, schemaVersion });
    await validatePayload(type.schema, type.name, lifted);
    return { ...of, payload: JSON.stringify(lifted) };
  } catch (error) {
    return { ...of, problem: errorText(error, 0).message };
  }
}
