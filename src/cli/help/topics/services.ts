/** `venc help services`. */
export const servicesTopic = `Commands talk to one service. The first of these that is set selects it:

  --target NAME                  a service that venc target add has given a name
  VENC_TARGET                    the same, for a whole script
  VENC_URL with VENC_API_KEY     an address and its key
  venc target use NAME           the configured target
  venc config set url ADDRESS    the configured address, with VENC_API_KEY
  the local daemon               found through its data folder; start it with: venc daemon

The name local always means the local daemon. Keys are read from stdin or prompted for; there is
no flag for them:

  venc target add studio https://encoding.example.com < key.txt
  venc list --target studio
  VENC_TARGET=studio venc submit film.mov --wait

The key is sent in the header Service-Api-Key. Only if a service answers 401 to a read, a cancel
or a resubmit is the request repeated with api_key in the query; a named target saves this.

Any service with Zencoder's API works, and its address may end in /v2 or not. If the service
lacks a feature (event streams, uploads, states in lists), venc works around it or reports it.
venc doctor checks whether the service answers and accepts the key.
`;
