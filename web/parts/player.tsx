// The timeline, and what plays it. Space plays and pauses wherever nothing else takes it.
import { useEffect, useRef } from 'preact/hooks';
import type { Step } from '../model/steps.ts';
import { Timeline } from './timeline.tsx';
import { SPEEDS, usePlayback } from './use-playback.ts';

interface Props {
  readonly steps: readonly Step[];
  readonly chosen: Step | undefined;
  readonly choose: (seq: number) => void;
}

export function Player({ steps, chosen, choose }: Props) {
  const { isOn, speed, playhead, toggle, setSpeed } = usePlayback(steps, chosen, choose);
  const latest = useRef(toggle);
  latest.current = toggle;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTaken =
        target instanceof HTMLElement && target.closest('button, input, select, a, summary') !== null;
      if (event.key !== ' ' || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <Timeline steps={steps} chosen={chosen} playhead={playhead} choose={choose}>
      <button type="button" class="play" onClick={toggle} aria-pressed={isOn}>
        {isOn ? 'Pause' : 'Play'}
      </button>
      <label>
        <span class="quiet">speed</span>{' '}
        <select value={String(speed)} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={String(each)}>
              {each}×
            </option>
          ))}
        </select>
      </label>
    </Timeline>
  );
}
