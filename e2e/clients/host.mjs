// A host made of one of the TypeScript SDKs' clients: node host.mjs SDK MODE URL KEY APPS. SDK is sdk1 or sdk2, MODE how
// sdk2 negotiates (legacy, auto or a revision). It does what a host does with the TomTom server and prints what came of it as
// one JSON object. A URL that begins with stdio: is followed by a JSON object, command, args and env: the server is started
// as a desktop host does.
const [sdk, mode, url, key, apps] = process.argv.slice(2);

async function clientOf() {
  const info = { name: 'typescript-host', version: '1' };
  const capabilities = { elicitation: {} };
  if (apps === 'true') {
    capabilities.extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  }
  const elicited = async () => ({ action: 'accept', content: { name: 'Ada' } });
  const command = url.startsWith('stdio:') ? JSON.parse(url.slice('stdio:'.length)) : undefined;
  const requestInit = { headers: { 'tomtom-api-key': key } };
  if (sdk === 'sdk1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, elicited);
    if (command) {
      const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
      await client.connect(new StdioClientTransport(command));
    } else {
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    }
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const negotiation = mode === 'legacy' || mode === 'auto' ? mode : { pin: mode };
  const client = new Client(info, { capabilities, versionNegotiation: { mode: negotiation } });
  client.setRequestHandler('elicitation/create', elicited);
  if (command) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    await client.connect(new StdioClientTransport(command));
  } else {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  }
  return client;
}

async function failureOf(promise) {
  try {
    const result = await promise;
    return { isError: result.isError === true, text: result.content?.[0]?.text ?? '' };
  } catch (error) {
    return { code: error.code, text: String(error.message) };
  }
}

const client = await clientOf();
const found = {
  era: client.getProtocolEra?.() ?? 'legacy',
  server: client.getServerVersion()?.name,
  apps: client.getServerCapabilities()?.extensions?.['io.modelcontextprotocol/ui'] !== undefined,
};
const { tools } = await client.listTools();
found.tools = tools.map((tool) => tool.name);
found.uri = tools.find((tool) => tool.name === 'tomtom-routing')?._meta?.ui?.resourceUri;
if (found.uri) {
  const read = await client.readResource({ uri: found.uri });
  found.widget = { contents: read.contents.length, mimeType: read.contents[0].mimeType, chars: read.contents[0].text.length };
  found.listed = (await client.listResources()).resources.some((resource) => resource.uri === found.uri);
}
found.progress = 0;
found.result = await client.callTool(
  {
    name: 'tomtom-routing',
    arguments: {
      show_ui: true,
      locations: [
        [4.9, 52.37],
        [13.4, 52.52],
      ],
    },
  },
  ...(sdk === 'sdk1' ? [undefined] : []),
  { onprogress: () => found.progress++ },
);
if (found.tools.includes('ask')) {
  found.asked = await failureOf(client.callTool({ name: 'ask', arguments: {} }));
}
found.unknown = await failureOf(client.callTool({ name: 'nobody', arguments: {} }));
if (found.era === 'legacy') {
  await client.ping();
}
await client.close();
console.log(JSON.stringify(found));
