/** Texts that try to become markup: the context that each breaks out of, and the code that it would run. */
const OPENERS = ['', '">', "'>", '</td></tr></table>', '</pre>', '</textarea>', '</title>', '</script>', '--><!--', ']]>'] as const;

const RUNNERS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script href=data:,alert(1) /></svg>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<details open ontoggle=alert(1)>x</details>',
  '<a href="javascript:alert(1)" autofocus onfocus=alert(1)>x</a>',
  '<style>*{background:url(//evil.example/x)}</style>',
  '<base href="//evil.example/">',
  '<form action="//evil.example/"><input autofocus onfocus=alert(1)></form>',
] as const;

const OTHERS = [
  '" onmouseover="alert(1)" autofocus onfocus="alert(1)" x="',
  "' onmouseover='alert(1)' x='",
  ' onload=alert(1) ',
  '` onerror=alert(1) `',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '#{alert(1)}',
  '<%= alert(1) %>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '\\u003cscript\\u003ealert(1)\\u003c/script\\u003e',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<input type=image src=x onerror=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<button formaction=javascript:alert(1)>x</button>',
  '<x contenteditable onblur=alert(1)>x',
  '\u202e<script>alert(1)</script>',
  '\u2028<script>alert(1)</script>\u2029',
  '\ufeff<script>alert(1)</script>',
  '=HYPERLINK("//evil.example/","x")',
  '\u001b[2J\u001b]0;x\u0007<script>alert(1)</script>',
] as const;

/** More than a hundred texts that must be shown as they are and never do anything. */
export const VECTORS: readonly string[] = [...OPENERS.flatMap((opener) => RUNNERS.map((runner) => `${opener}${runner}`)), ...OTHERS];
