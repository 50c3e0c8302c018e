// "I checked out `main` without it": how a look at the code of before is told as a deed, and what a command says that could be
// one.
export const CODE_OF_BEFORE = {
  told: /^(?:checked out (?:(?:a|an|the|clean|fresh) )*[`"]?(?:main|master|trunk|develop|HEAD|origin\b|upstream\b|(?:base|parent|last|previous|old|original|unchanged|unmodified|earlier)\b|[0-9a-f]{7,40}\b|v\d)|stashed (?:(?:my|the|all|these|those) )*(?:\w+ )?(?:changes?|work|edits|diff|patch|it|them|everything)\b)/i,
  command:
    /\b(?:git|gh|jj|hg|sl)\b.{0,80}\b(?:stash|checkout|switch|worktree|restore|reset|revert|clone|bisect|archive|show|apply|update|edit|new|co|up)\b|\bpatch\b/i,
  tool: /worktree|checkout|stash|git/i,
  orProgram: true,
} as const;
