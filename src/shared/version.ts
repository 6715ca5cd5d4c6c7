/** The version of this program. package.json is not read at run time; a test checks that the versions are equal. */
export const productVersion = '0.1.0';
