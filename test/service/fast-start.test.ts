// The hook command comes through the service's door, and must not load what serves behind it.
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { root } from '../fault/child.ts';

async function bundled(contents: string): Promise<{ inputs: string[]; required: string[]; size: number }> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    conditions: ['start'],
    logOverride: { 'empty-import-meta': 'silent' },
    external: ['fs-native-extensions'],
    stdin: { contents, resolveDir: root, loader: 'ts' },
    metafile: true,
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  const inputs = Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {});
  return {
    inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
    required: [...text.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name ?? '').sort(),
    size: text.length,
  };
}

it('the way to the service and what revives it load only fs and path, and nothing of HTTP', async () => {
  const { inputs, required } = await bundled(
    "import { ensureService, postHook } from './src/service/index.ts'; console.log(ensureService, postHook);",
  );
  expect([...new Set(required)]).toEqual(['node:fs', 'node:path']);
  expect(inputs).toContain('src/service/revive.ts');
});

it('the service itself does, so the test above can fail', async () => {
  const { inputs, required } = await bundled(
    "import { startService } from './src/service/index.ts'; console.log(startService);",
  );
  expect(required).toContain('node:http');
  expect(inputs).toContain('src/service/app.ts');
});
