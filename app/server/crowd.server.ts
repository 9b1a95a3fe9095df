import type { Socket } from "node:net";

/** The clients that are connected: how many, from where, and how much each is waiting for. */
export class Crowd {
  readonly #unanswered = new Map<Socket, number>();
  readonly #byAddress = new Map<string, number>();

  constructor(private readonly maxOfAddress: number) {}

  get size(): number {
    return this.#unanswered.size;
  }

  /** Takes a new connection in, or closes it when its address has enough of them. */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const others = this.#byAddress.get(address) ?? 0;
    if (others >= this.maxOfAddress) {
      socket.destroy();
      return;
    }
    this.#byAddress.set(address, others + 1);
    this.#unanswered.set(socket, 0);
    socket.once("close", () => {
      this.#unanswered.delete(socket);
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
  }

  /** Notes a request, and gives how many of this connection have no answer yet. */
  asked(socket: Socket): number {
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1;
    if (this.#unanswered.has(socket)) this.#unanswered.set(socket, unanswered);
    return unanswered;
  }

  /** Notes that a request is over. */
  answered(socket: Socket): void {
    const unanswered = this.#unanswered.get(socket);
    if (unanswered !== undefined) this.#unanswered.set(socket, unanswered - 1);
  }
}
