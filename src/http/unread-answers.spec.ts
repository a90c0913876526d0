import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { UnreadAnswers } from './unread-answers';

const KB = 1024;

class Answer extends ServerResponse {
  cut = false;

  constructor() {
    super(new IncomingMessage(new Socket()));
  }

  override destroy(): this {
    this.cut = true;
    this.emit('close');
    return this;
  }
}

describe('UnreadAnswers', () => {
  const count = (unread: UnreadAnswers, owner: string, bytes: number): Answer => {
    const answer = new Answer();
    unread.count(owner, answer, bytes);
    return answer;
  };

  it('cuts the oldest answer of a client that leaves too much unread', () => {
    const unread = new UnreadAnswers({ each: 100 * KB, all: 1000 * KB });
    const [first, second, third] = [40, 40, 40].map((size) => count(unread, 'a', size * KB));
    expect([first?.cut, second?.cut, third?.cut]).toEqual([true, false, false]);
  });

  it('cuts an answer that is too large for its client by itself', () => {
    const unread = new UnreadAnswers({ each: 100 * KB, all: 1000 * KB });
    expect(count(unread, 'a', 101 * KB).cut).toBe(true);
  });

  it('leaves other clients alone', () => {
    const unread = new UnreadAnswers({ each: 100 * KB, all: 1000 * KB });
    const other = count(unread, 'b', 90 * KB);
    for (let answer = 0; answer < 10; answer += 1) count(unread, 'a', 90 * KB);
    expect(other.cut).toBe(false);
  });

  it('cuts what the largest holder has when all hold too much together', () => {
    const unread = new UnreadAnswers({ each: 100 * KB, all: 200 * KB });
    const small = count(unread, 'a', 50 * KB);
    const large = count(unread, 'b', 90 * KB);
    const last = count(unread, 'c', 80 * KB);
    expect([small.cut, large.cut, last.cut]).toEqual([false, true, false]);
  });

  it('forgets answers that are out, or whose connection is closed', () => {
    const unread = new UnreadAnswers({ each: 100 * KB, all: 1000 * KB });
    for (const end of ['finish', 'close', 'finish', 'close']) count(unread, 'a', 90 * KB).emit(end);
    expect(count(unread, 'a', 90 * KB).cut).toBe(false);
  });

  it('does not count small answers', () => {
    const unread = new UnreadAnswers({ each: 100 * KB, all: 1000 * KB });
    const answers = Array.from({ length: 1000 }, () => count(unread, 'a', KB));
    expect(answers.filter(({ cut }) => cut)).toEqual([]);
  });
});
