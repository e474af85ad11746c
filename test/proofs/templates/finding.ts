/** What a checker says about one resource of a template. */
export interface Finding {
  /** Name of the template. */
  readonly template: string;
  /** The rule, such as `W3005` or `CKV_AWS_27`. */
  readonly rule: string;
  /** Logical id of the resource; empty for one about the template itself. */
  readonly resource: string;
  /** CloudFormation's type of the resource. */
  readonly type: string;
  readonly message: string;
}

/** Findings that stand. */
export interface Accepted {
  readonly rule: string;
  /** Types of resources for which they stand; all if absent. */
  readonly types?: readonly string[];
  /** The only template in which they stand; in all of them if absent. */
  readonly template?: string;
  readonly reason: string;
}

/** The result of comparing findings with those that are accepted. */
export interface Judgement {
  /** Findings that nobody accepted. */
  readonly open: readonly Finding[];
  /** Acceptances that match no finding: they must be removed, or they would hide the next one. */
  readonly unused: readonly string[];
}

/** Compares findings with the accepted ones. */
export function judge(findings: readonly Finding[], accepted: readonly Accepted[]): Judgement {
  const rules = accepted.flatMap(({ rule, types = [undefined], template }) => types.map((type) => ({ rule, type, template })));
  const matches = (one: (typeof rules)[number], { rule, type, template }: Finding): boolean =>
    one.rule === rule && (one.type ?? type) === type && (one.template ?? template) === template;
  return {
    open: findings.filter((finding) => !rules.some((one) => matches(one, finding))),
    unused: rules
      .filter((one) => !findings.some((finding) => matches(one, finding)))
      .map(({ rule, type = 'any resource', template = 'any template' }) => `${rule} of ${type} in ${template}`),
  };
}

/** Planted faults, as `<rule> <resource>`, that are not among the findings. */
export function missed(findings: readonly Finding[], planted: readonly string[]): readonly string[] {
  const found = findings.filter(({ template }) => template === 'planted').map(({ rule, resource }) => `${rule} ${resource}`);
  return planted.filter((fault) => !found.includes(fault));
}
