// Asks the server behind `foil view`. What it refuses, it explains.

export interface Place {
  readonly address: string;
  readonly token: string;
}

export async function fetchAnswer({ address, token }: Place): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  } catch {
    throw new Error('The viewer has stopped. Run `foil view` again.');
  }
  if (response.ok) return response;
  const { error } = (await response.json()) as { error: string };
  throw new Error(error);
}

export async function fetchBytes(place: Place): Promise<Uint8Array> {
  return new Uint8Array(await (await fetchAnswer(place)).arrayBuffer());
}
