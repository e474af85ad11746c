/** Version of this package, for processes that have none of their own. A test holds it against `package.json`. */
export const PACKAGE_VERSION = '0.1.0';
