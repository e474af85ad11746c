/** Credentials that no AWS account takes: an emulated run that is misdirected must fail, not write. */
export const EMULATED: Readonly<Record<string, string | undefined>> = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  // Files that are not there, so that no profile of the user sets keys, a region, retries or an endpoint.
  AWS_CONFIG_FILE: '/nonexistent/nightcrew/config',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent/nightcrew/credentials',
  AWS_PROFILE: undefined,
  AWS_DEFAULT_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_ROLE_ARN: undefined,
  AWS_WEB_IDENTITY_TOKEN_FILE: undefined,
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: undefined,
  AWS_CONTAINER_CREDENTIALS_FULL_URI: undefined,
};

let users = 0;
let before: Record<string, string | undefined> = {};

/**
 * Makes this process use the emulators' credentials instead of the user's AWS account, until every caller has
 * called the returned function.
 */
export function useEmulatorCredentials(): () => void {
  if (users === 0) {
    before = Object.fromEntries(Object.keys(EMULATED).map((name) => [name, process.env[name]]));
    setAll(EMULATED);
  }
  users += 1;
  let released = false;
  return () => {
    if (released) return;
    released = true;
    users -= 1;
    if (users === 0) setAll(before);
  };
}

function setAll(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
