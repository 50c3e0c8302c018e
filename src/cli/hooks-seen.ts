// hooks-seen.script: which hooks an agent's settings have, for the hook that starts a session.
import { hooksOf } from '../app/index.ts';

export { hooksOf };
