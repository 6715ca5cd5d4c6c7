/** A key that only these tests use. It protects nothing. */
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgv+0X+BVBmmog1/t8
Y8CdjjeflodKEHHLEwZTBSLOLTKhRANCAAR3gXTiOv4EzwlnM+x4N7A211CsbdjV
jVN8MMqiL62QWm6/KBVgVl2Ld5FgoALImfELlrom1ALxExzktVft8pwZ
-----END PRIVATE KEY-----
`;

/** A self-signed certificate for 127.0.0.1 and localhost, valid for a hundred years. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUKIPq5VprWkNxlwieQrYN72FdyMIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTEzMjM1M1oYDzIxMjYxMDI4
MTMyMzUzWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR3gXTiOv4EzwlnM+x4N7A211CsbdjVjVN8MMqiL62QWm6/KBVgVl2L
d5FgoALImfELlrom1ALxExzktVft8pwZo28wbTAdBgNVHQ4EFgQUwlwl01i983AI
dVkljaWGBwvH76gwHwYDVR0jBBgwFoAUwlwl01i983AIdVkljaWGBwvH76gwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAL4ap/B7LxInsLDz271nPOwaDfXz/2MqmT6JNmsWZYvuAiEA
7+VoFCEOtzdtqLYR+UGbhCFCHMd+0bHEa/5tscCbKEk=
-----END CERTIFICATE-----
`;
