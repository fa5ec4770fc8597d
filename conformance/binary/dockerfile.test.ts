import { readFileSync } from 'node:fs';
import { DockerfileParser } from 'dockerfile-ast';
import { ValidationSeverity, type ValidatorSettings, validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';

const { ERROR } = ValidationSeverity;
const strict: ValidatorSettings = {
  deprecatedMaintainer: ERROR,
  directiveCasing: ERROR,
  emptyContinuationLine: ERROR,
  instructionCasing: ERROR,
  instructionCmdMultiple: ERROR,
  instructionEntrypointMultiple: ERROR,
  instructionHealthcheckMultiple: ERROR,
  instructionJSONInSingleQuotes: ERROR,
  instructionWorkdirRelative: ERROR,
};

/** What is wrong with a Dockerfile: by the linter's rules, and by the rules of an image that holds one program. */
function complaints(text: string): string[] {
  const found = validate(text, strict).map(({ message }) => (typeof message === 'string' ? message : message.value));
  const file = DockerfileParser.parse(text);
  const instructions = file.getInstructions().map((each) => ({
    keyword: each.getKeyword(),
    argument: each.getArgumentsContent() ?? '',
  }));
  const argumentsOf = (keyword: string) =>
    instructions.filter((each) => each.keyword === keyword).map(({ argument }) => argument);
  const base = file.getFROMs().at(-1);
  const image = base?.getImageTag() ?? base?.getImageDigest() ?? 'latest';
  if (image === 'latest') found.push('the base has no tag');
  if (!/^[1-9]\d*:[1-9]\d*$/.test(argumentsOf('USER').at(-1) ?? ''))
    found.push('the user must be a number other than 0');
  if (argumentsOf('RUN').length > 0) found.push('nothing may be installed');
  if (argumentsOf('COPY').length !== 1 || argumentsOf('ADD').length > 0) found.push('one file must be copied');
  for (const each of [...argumentsOf('ENTRYPOINT'), ...argumentsOf('CMD')]) {
    if (!each.startsWith('[')) found.push('no shell may start the program');
  }
  return found;
}

describe('the Dockerfile', () => {
  const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');

  it('keeps the rules', () => {
    expect(complaints(text)).toEqual([]);
  });

  it.each([
    ['has no tag', 'debian:bookworm-slim', 'debian'],
    ['takes the latest', 'bookworm-slim', 'latest'],
    ['runs as root', 'USER 65532:65532', 'USER 0:0'],
    ['names no user', 'USER 65532:65532\n', ''],
    ['starts a shell', 'ENTRYPOINT ["/usr/local/bin/assay"]', 'ENTRYPOINT /usr/local/bin/assay'],
    ['installs something', 'WORKDIR', 'RUN apt-get update\nWORKDIR'],
    ['copies more', 'WORKDIR', 'COPY package.json /work\nWORKDIR'],
    ['fetches', 'WORKDIR', 'ADD https://example.com/a /a\nWORKDIR'],
    ['has a folder that depends on another', 'WORKDIR /work', 'WORKDIR work'],
    ['has an unknown instruction', 'WORKDIR', 'WORKPLACE'],
    ['has two commands', 'CMD ["--help"]', 'CMD ["--help"]\nCMD ["--version"]'],
  ])('would not if it %s', (_how, kept, broken) => {
    expect(text).toContain(kept);
    expect(complaints(text.replace(kept, broken))).not.toEqual([]);
  });
});
