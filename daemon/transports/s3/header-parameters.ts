import type { PutObjectCommandInput } from '@aws-sdk/client-s3';

/** The headers of an object, as parameters of the commands that create it. */
export type HeaderParameters = Partial<
  Pick<
    PutObjectCommandInput,
    | 'CacheControl'
    | 'ContentDisposition'
    | 'ContentEncoding'
    | 'ContentType'
    | 'Expires'
    | 'Metadata'
    | 'ServerSideEncryption'
    | 'StorageClass'
    | 'Tagging'
  >
>;

const names: Readonly<Record<string, keyof HeaderParameters>> = {
  'cache-control': 'CacheControl',
  'content-disposition': 'ContentDisposition',
  'content-encoding': 'ContentEncoding',
  'content-type': 'ContentType',
  'x-amz-server-side-encryption': 'ServerSideEncryption',
  'x-amz-storage-class': 'StorageClass',
  'x-amz-tagging': 'Tagging',
};
/** Google Cloud Storage accepts its metadata under the names of S3. */
const metadataPrefix = /^x-(?:amz|goog)-meta-/;

/**
 * Converts the headers of a transfer, by name in lower case. The SDK builds the headers of a request only from
 * parameters.
 */
export function headerParameters(headers: Readonly<Record<string, string>> = {}): HeaderParameters {
  const entries = Object.entries(headers);
  const metadata = entries.flatMap(([name, value]) =>
    metadataPrefix.test(name) ? [[name.replace(metadataPrefix, ''), value] as const] : [],
  );
  const parameters = entries.flatMap(([name, value]) => {
    const parameter = names[name];
    return parameter === undefined ? [] : [[parameter, value] as const];
  });
  return {
    ...Object.fromEntries(parameters),
    ...(headers.expires === undefined ? {} : { Expires: new Date(headers.expires) }),
    ...(metadata.length === 0 ? {} : { Metadata: Object.fromEntries(metadata) }),
  };
}
