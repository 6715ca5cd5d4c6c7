/** The version of this program; a test holds it equal to that of package.json, which is not read at run time. */
export const productVersion = '0.1.0';
