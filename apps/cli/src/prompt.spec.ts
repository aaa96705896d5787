import { PassThrough } from 'node:stream';
import { ask, prompt, typedLine } from './prompt.js';

const CTRL_C = '\u0003';

function terminal(isTTY = true) {
  return Object.assign(new PassThrough(), { isTTY });
}

/** All that was written to it: one `read` gives a single piece from Node 26 on. */
function textOf(stream: PassThrough): string {
  let text = '';
  for (let piece = stream.read() as Buffer | null; piece !== null; piece = stream.read() as Buffer | null)
    text += piece.toString();
  return text;
}

/** How often Ctrl-C was heard while `body` went on. */
async function interrupts(body: () => Promise<void>): Promise<number> {
  let heard = 0;
  const hear = () => void (heard += 1);
  process.on('SIGINT', hear);
  await body();
  process.off('SIGINT', hear);
  return heard;
}

describe('a question of a login', () => {
  it.each([true, false])(
    'has no answer where its input was read to the end, as by --args-stdin (a terminal: %s)',
    async (isTTY) => {
      const input = terminal(isTTY);
      input.end('a\ntest.ping\n');
      for await (const chunk of input) expect(String(chunk)).toBe('a\ntest.ping\n');
      expect(await prompt('password: ', { secret: true }, input)).toBeUndefined();
    },
  );

  it('has the next line of a pipe that still has one', async () => {
    const input = terminal(false);
    input.end('fred\n');
    expect(await prompt('username: ', { secret: false }, input)).toBe('fred');
  });
});

describe('a line that is typed at a login', () => {
  it.each([false, true])('is what stands before its end (a secret: %s)', async (secret) => {
    const [input, shown] = [terminal(), terminal()];
    const typed = typedLine('name: ', { secret }, input, shown);
    input.write('fred\r');
    expect(await typed).toBe('fred');
    expect(textOf(shown).includes('fred')).toBe(!secret);
  });

  it('of a secret shows the question and the line end alone', async () => {
    const [input, shown] = [terminal(), terminal()];
    const typed = typedLine('password: ', { secret: true }, input, shown);
    input.write('canary\r');
    await typed;
    expect(textOf(shown)).toBe('password: \n');
  });

  it('of a secret stays hidden behind another question on the same terminal', async () => {
    const [input, shown] = [terminal(), terminal()];
    const name = typedLine('username: ', { secret: false }, input, shown);
    input.write('fred\r');
    expect(await name).toBe('fred');
    textOf(shown);
    const secret = typedLine('password: ', { secret: true }, input, shown);
    input.write('canary\r');
    expect(await secret).toBe('canary');
    expect(textOf(shown)).toBe('password: \n');
    expect(input.listenerCount('keypress')).toBe(0);
  });

  it.each([false, true])('is none after Ctrl-C, which is heard as Ctrl-C (a secret: %s)', async (secret) => {
    const [input, shown] = [terminal(), terminal()];
    const heard = await interrupts(async () => {
      const typed = typedLine('name: ', { secret }, input, shown);
      input.write(`fr${CTRL_C}`);
      expect(await typed).toBeUndefined();
    });
    expect(heard).toBe(1);
    expect(textOf(shown)).toMatch(/^name: .*\n$/s);
  });

  it.each([
    ['at the end of input', undefined],
    ['where the terminal is gone', new Error('EIO: i/o error, read')],
  ])('is none %s', async (_, error) => {
    const input = terminal();
    const typed = typedLine('name: ', { secret: false }, input, terminal());
    if (error === undefined) input.end();
    else input.destroy(error);
    expect(await typed).toBeUndefined();
  });
});

describe('a question', () => {
  it('goes into a pipe as it is, without a move of the cursor', async () => {
    const [input, output] = [terminal(), terminal(false)];
    const answer = ask('Proceed? ', input, output);
    input.write('y\n');
    expect(await answer).toBe('y');
    expect(textOf(output)).toBe('Proceed? ');
  });

  it('on a terminal is answered with a line editor, and Ctrl-C is heard', async () => {
    const [input, output] = [terminal(), terminal()];
    const heard = await interrupts(async () => {
      const answer = ask('Proceed? ', input, output);
      input.write(CTRL_C);
      expect(await answer).toBeUndefined();
    });
    expect(heard).toBe(1);
    expect(textOf(output)).toContain('\u001b[');
  });

  it.each([
    ['at the end of input', undefined],
    ['from an input that cannot be read, as nohup leaves one', new Error('EBADF: bad file descriptor, read')],
  ])('has no answer %s', async (_, error) => {
    const input = terminal(false);
    const answer = ask('Proceed? ', input, terminal(false));
    if (error === undefined) input.end();
    else input.destroy(error);
    expect(await answer).toBeUndefined();
  });
});
