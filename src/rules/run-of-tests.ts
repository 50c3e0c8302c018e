// "I ran the tests against it": how a run of tests is told as a deed, and what a command says that could be one.
export const RUN_OF_TESTS = {
  told: /^(?:re-?)?(?:ran|executed) (?:(?:the|all|its|our|both|these|those|full|whole|entire|existing|unit|complete) )*(?:[\w-]+ )?(?:tests|test suite|suite|specs)\b(?! (?:data|files?|helpers?|runner))/i,
  command:
    /test|spec|check|verify|\b(?:ci|tox|nox|mvnw?|gradlew?|jest|mocha|ava|rake|behave|validate)\b|^g?make\b/i,
} as const;
