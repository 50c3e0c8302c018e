// A server made with the official SDK whose one tool leaves a line in a file for each time it runs: the unique argument
// that it was called with. What is in the file was done, whatever anybody recorded.
import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const server = new Server({ name: 'marking', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  const { mark, length } = params.arguments;
  appendFileSync(process.env.MARKS, `${mark}\n`);
  return { content: [{ type: 'text', text: `${mark} ${'y'.repeat(length)}` }] };
});
await server.connect(new StdioServerTransport());
