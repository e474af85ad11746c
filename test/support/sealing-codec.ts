import { defineCodec, type PayloadCodec, type PayloadContext } from '../../shared/index.ts';

/** A codec whose texts are bound to type and tenant, as those of an authenticated cipher are, and that notes what it was asked. */
export interface SealingCodec extends PayloadCodec {
  readonly asked: { readonly verb: 'encode' | 'decode'; readonly context: PayloadContext }[];
  /** The next calls throw these, one each. */
  readonly failures: unknown[];
}

/** Creates a codec of this name; each of its texts is another, even of the same payload. */
export function sealingCodec(name: string): SealingCodec {
  const asked: SealingCodec['asked'] = [];
  const failures: unknown[] = [];
  const note = (verb: 'encode' | 'decode', context: PayloadContext): void => {
    asked.push({ verb, context });
    if (failures.length > 0) throw failures.shift();
  };
  const codec = defineCodec({
    name,
    async encode(json, context) {
      note('encode', context);
      const sealed = [name, context.type, context.tenant ?? null, asked.length, json];
      return Buffer.from(JSON.stringify(sealed)).toString('base64');
    },
    async decode(text, context) {
      note('decode', context);
      const [by, type, tenant, , json] = JSON.parse(Buffer.from(text, 'base64').toString()) as unknown[];
      if (by !== name || type !== context.type || tenant !== (context.tenant ?? null))
        throw new Error(`not sealed for this: ${String(json)}`);
      return String(json);
    },
  });
  return { ...codec, asked, failures };
}
