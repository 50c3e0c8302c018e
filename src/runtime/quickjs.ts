// One call of a tool in QuickJS: an engine of its own with the tool's modules and its input, and nothing of the machine. The
// code in it is hostile. It may loop, fill its memory, replace every global, hide code in what it returns. So all that is
// needed from inside is taken before its first line runs, and a text is measured before it is copied out. Fuel counts the
// engine's own steps (calls and jumps back), so the same code on the same input takes the same fuel.
import release from '@jitl/quickjs-wasmfile-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import {
  type CellEnd,
  type CellWork,
  type CompiledEngine,
  OWN_MODULE,
  resolveInCell,
  STEPS_EACH,
} from './cell-form.ts';
import { messageOf } from './machine.ts';

const STACK_BYTES = 128 * 1024;
const LONGEST_ERROR = 1000;

/** Runs before the tool's code. A clock and chance would make two runs differ. */
const TAKEN = `delete Math.random;
(() => {
  const { parse, stringify } = JSON, { values } = Object, text = String;
  const find = (module, name) => {
    for (const each of values(module)) {
      if (each?.name === name && typeof each.run === 'function') return each;
      for (const tool of each?.tools ?? [])
        if (tool?.name === name && typeof tool.run === 'function') return tool;
    }
    throw new TypeError('its module does not export the tool ' + name);
  };
  return {
    call: async (module, name, input) => stringify((await find(module, name).run(parse(input))) ?? null) ?? 'null',
    word: (error) => text(error?.message ?? error),
    burn: (meter) => { for (;;) meter.left++; },
  };
})()`;

type Variant = Parameters<typeof newVariant>[0] & { readonly type: 'sync' };
export type Engine = Awaited<ReturnType<typeof newQuickJSWASMModuleFromVariant>>;

export function openEngine(wasm: CompiledEngine): Promise<Engine> {
  // Its types are those of its form for CommonJS.
  const variant = release as unknown as Variant;
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: wasm as never }));
}

/** Once for each engine. Never throws. `seen` is told the fuel now and then. */
export function runInEngine(engine: Engine, work: CellWork, seen: (fuel: number) => void): CellEnd {
  const failed = (error: string, fuel = 0): CellEnd => ({ outcome: 'error', output: null, error, fuel });
  try {
    return new Call(engine, work, seen).run();
  } catch (error) {
    // The engine itself broke down, as where its own stack is too small for the code.
    return failed(`the cell broke down: ${messageOf(error)}`);
  }
}

class Call {
  readonly #work: CellWork;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #taken: QuickJSHandle;
  /** Made before the tool's code runs: later, a setter of its prototype could swallow the member. */
  readonly #meter: QuickJSHandle;
  #looks = 0;
  #isOut = false;
  #isBurning = false;

  constructor(engine: Engine, work: CellWork, seen: (fuel: number) => void) {
    const { code, define } = work;
    this.#work = work;
    this.#runtime = engine.newRuntime();
    this.#runtime.setMemoryLimit(code.memoryBytes);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setModuleLoader(
      (path) => {
        if (path === OWN_MODULE) return define;
        const text = Object.hasOwn(code.files, path) ? code.files[path] : undefined;
        return text ?? { error: new Error(`a cell does not have ${path}`) };
      },
      (from, name) => (name === OWN_MODULE ? name : (resolveInCell(from, name) ?? name)),
    );
    this.#context = this.#runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
    this.#taken = this.#context.unwrapResult(this.#context.evalCode(TAKEN));
    this.#runtime.setInterruptHandler(() => {
      if (this.#isBurning) return true;
      this.#looks++;
      this.#isOut ||= this.#looks * STEPS_EACH >= code.fuel;
      seen(this.#looks * STEPS_EACH);
      return this.#isOut;
    });
    this.#meter = this.#newMeter();
    this.#burn(this.#newMeter());
  }

  run(): CellEnd {
    const settled = this.#call();
    const fuel = this.#isOut
      ? this.#work.code.fuel
      : (this.#looks + 1) * STEPS_EACH - this.#burn(this.#meter);
    const end = (outcome: CellEnd['outcome'], error: string): CellEnd => ({
      outcome,
      output: null,
      error,
      fuel,
    });
    if (this.#isOut || fuel > this.#work.code.fuel)
      return end('fuel', `it took more than ${this.#work.code.fuel} steps`);
    if ('error' in settled) return end('error', settled.error);
    const { outputBytes } = this.#work;
    const output = this.#copy(settled.value, outputBytes);
    if (output === null || Buffer.byteLength(output) > outputBytes)
      return end('output', `its output has more than ${outputBytes} bytes`);
    return { outcome: 'ok', output, error: null, fuel };
  }

  #call(): { readonly value: QuickJSHandle } | { readonly error: string } {
    const { code, tool, input } = this.#work;
    const context = this.#context;
    const module = this.#settle(
      context.evalCode(code.files[code.module] ?? '', code.module, { type: 'module' }),
    );
    if ('error' in module) return module;
    const call = context.getProp(this.#taken, 'call');
    const given = [module.value, context.newString(tool), context.newString(input)];
    return this.#settle(context.callFunction(call, context.undefined, ...given));
  }

  /** What a promise comes to. One that nothing is left to keep never comes to anything. */
  #settle(
    result: ReturnType<QuickJSContext['evalCode']>,
  ): { readonly value: QuickJSHandle } | { readonly error: string } {
    if (result.error !== undefined) return { error: this.#word(result.error) };
    while (!this.#isOut && this.#runtime.hasPendingJob()) {
      const jobs = this.#runtime.executePendingJobs(1);
      if (jobs.error !== undefined) return { error: this.#word(jobs.error) };
    }
    const state = this.#context.getPromiseState(result.value);
    if (state.type === 'fulfilled') return { value: state.value };
    if (state.type === 'rejected') return { error: this.#word(state.error) };
    return { error: 'it waits for something that never comes' };
  }

  #word(error: QuickJSHandle): string {
    if (this.#isOut) return '';
    const context = this.#context;
    const word = context.callFunction(context.getProp(this.#taken, 'word'), context.undefined, error);
    const text = word.error === undefined ? this.#copy(word.value, LONGEST_ERROR) : null;
    return text ?? 'something that can not be shown was thrown';
  }

  /** Null for what is no text, or a longer one. */
  #copy(value: QuickJSHandle, most: number): string | null {
    const context = this.#context;
    if (context.typeof(value) !== 'string') return null;
    return context.getNumber(context.getProp(value, 'length')) > most ? null : context.getString(value);
  }

  /** The engine looks every so many steps. How many were left until the next look: one for each round of a loop. */
  #burn(meter: QuickJSHandle): number {
    const context = this.#context;
    this.#isBurning = true;
    context.callFunction(context.getProp(this.#taken, 'burn'), context.undefined, meter);
    this.#isBurning = false;
    return context.getNumber(context.getProp(meter, 'left'));
  }

  #newMeter(): QuickJSHandle {
    const meter = this.#context.newObject();
    this.#context.setProp(meter, 'left', this.#context.newNumber(0));
    return meter;
  }
}
